# A thin skin over CMake.
.PHONY: all test
all:
	cmake --preset release && cmake --build --preset release
test: all
	ctest --preset release
