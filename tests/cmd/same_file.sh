# No command writes over what it reads, by whatever name, nor gives a name that says something else:
# one sentence, exit code 2, and nothing is touched.
try() { graze "$@"; echo "exit $?"; }
graze make box -o k.ply -q
graze make box -o k.stl -q
graze build k.ply -o k.graze -q
ln k.ply hard.ply
ln -s k.ply soft.ply
ln -s k.ply soft.graze
ln -s k.ply soft.png
ln k.ply hard.graze
ln k.ply hard.png
ln k.graze model.ply
mkdir folder
before=$(ls -i .; md5sum k.ply k.stl k.graze)

try picture k.ply -o k.ply
try picture k.ply -o soft.png
try picture ./folder/../k.ply -o hard.png
try picture k.graze -o k.graze
try build k.ply -o k.ply
try build k.ply -o soft.graze
try build hard.ply -o ./hard.graze
try build - -o hard.graze <k.ply
try convert k.ply -o k.ply
try convert k.ply -o ./k.ply --ascii
try convert soft.ply -o hard.ply
itself=k.stl
try convert - -o k.stl <"$itself"
try export k.graze -o model.ply
try make refine k.ply -o hard.ply
# Names that say something else.
try picture k.ply -o k.jpg
try picture k.ply -o picture
try picture k.ply -o k.png.gz
try picture k.ply -o .png
try build k.ply -o k.glb
try build k.ply -o model
try build k.ply -o new.ply.gz
try convert k.ply -o k.png
try convert k.ply -o new.graze
try export k.graze -o new.graze
try make box -o box.graze
try make plant -n 2000 -o plant.glb --list plant.ply
try make plant -n 2000 -o plant.glb --list plant.glb
try make plant -n 2000 -o plant.json --list plant.json
# A model is no mesh.
try convert k.graze -o new.ply
try make refine k.graze -o new.ply
try build k.graze -o new.graze
try convert - -o new.ply <k.graze

diff <(echo "$before") <(ls -i .; md5sum k.ply k.stl k.graze) && echo nothing was touched
# What is another file is written, also over an old one.
try picture k.ply -o folder/k.PNG -q
try build k.ply -o folder/k.graze -q
try convert k.ply -o folder/k.ply -q
try convert k.stl -o folder/k.ply -q
try make plant -n 2000 -o folder/plant.glb --list folder/plant.json -q
# What a killed process left is used again, and nothing stays of it.
head -c 100000 /dev/zero >folder/.k.PNG.graze-part
head -c 100000 /dev/zero >folder/.plant.json.graze-part
try picture k.ply -o folder/k.PNG -q
try make plant -n 2000 -o folder/plant.glb --list folder/plant.json -q
head -c 4 folder/k.PNG | tail -c 3
tail -c 2 folder/plant.json
ls -A folder
