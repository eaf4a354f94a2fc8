# A thin skin over CMake, tools/setup and tools/test. Each target sets up what it needs by itself.
PREFIX ?= /usr/local

.PHONY: all help demo test test-quick bench install format lint fuzz clean

all: ## build the library and the command into build/plain
	@tools/setup build
	@tools/build plain

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 20

demo: all ## build, make data, run the main job on it and show the result
	@build/plain/cmd/graze demo --keep build/demo

test: ## everything that a push must pass
	@tools/setup test
	@tools/test

test-quick: ## the release build and its quick tests only
	@tools/setup test
	@tools/test quick

bench: ## measure, beside the libraries of others
	@tools/setup bench
	@bench/run

install: all ## install below PREFIX (/usr/local), or DESTDIR
	@cmake --install build/plain --prefix "$(PREFIX)"

format: ## lay out all code as .clang-format says
	@tools/setup test
	@git ls-files '*.c' '*.h' '*.cpp' | xargs clang-format -i

lint: ## formatting, clang-tidy, layers, names, shell scripts, code in documents
	@tools/setup test
	@tools/lint

fuzz: ## ten minutes of fuzzing, shared by all targets
	@tools/setup test
	@tools/fuzz 600

clean: ## remove all that was built
	rm -rf build
