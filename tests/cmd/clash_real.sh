# Scenes that nobody here made, of the package assimp-testmodels: a house, an engine, a spider, teapots.
# What is told of them was held against a program that shares no code with graze: triangle by triangle
# and point by point, in plain double arithmetic.
models=/usr/share/assimp/models
if [ ! -r $models/IFC/AC14-FZK-Haus.ifc ]; then
    echo "the package assimp-testmodels is not installed" >&2
    exit 77
fi
graze --version --verbose | grep -q 'assimp: yes' || {
    echo "assimp was not there when graze was built" >&2
    exit 77
}
for model in IFC/AC14-FZK-Haus.ifc glTF2/2CylinderEngine-glTF-Binary/2CylinderEngine.glb OBJ/spider.obj \
    OBJ/regr01.obj Collada/teapot_instancenodes.DAE Collada/teapots.DAE 3DS/test1.3ds; do
    echo "$model"
    graze clash -q $models/$model | sed -nE '$ s/; [0-9.e+]+ (us|ms|s), .* read$//p'
done
echo "--- a house: which walls are in which"
graze clash -q $models/IFC/AC14-FZK-Haus.ifc --a '**/*Wand-Int*' --b '**/*Wand-*' --touch 1mm |
    sed -E 's/\$RelAggregates.*Storey_[^ ]*\///g; s/; [0-9.e+]+ (us|ms|s), .* read$//; s/ +$//'
