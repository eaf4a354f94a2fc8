# One model along a path: rows, stretches, totals and a page, all of the answers that collide gives.
set -e
graze make knot -n 2k -o knot.ply -q
graze make torus -n 1k -o torus.stl -q
graze build knot.ply -o knot.graze -q
graze build torus.stl -o torus.graze -q
awk 'BEGIN {
    print "# a screw"
    for (i = 0; i < 40; ++i) {
        a = i / 7; c = cos(a); s = sin(a)
        printf "%s%.17g %.17g 0 %.17g %.17g %.17g 0 0 0 0 1 %.17g\n", i % 3 == 0 ? "<at" i "> " : "", c, -s,
            i / 20, s, c, i / 40
    }
}' >way.txt
times() { sed -E 's/ +[0-9]+\.[0-9]{3} +[0-9]+\.[0-9]{3}/  MS  MS/; s/(mean|p99|most) [0-9.]+ (us|ms|s)/\1 T/g; s/of step [0-9]+$/of step N/; s/(at most|graze|cache) [0-9.]+ [kM]?B(ytes)?/\1 SIZE/g; s/[0-9]+ loaded, [0-9.]+ [a-zA-Z]+ read/N loaded, SIZE read/'; }
status=0
graze path torus.stl knot.ply --poses way.txt >told || status=$?
echo "exit $status"
times <told
# What moves is the first file: the same as collide with the two exchanged.
graze path torus.graze knot.graze --poses way.txt --csv -q >rows || true
graze collide knot.ply torus.stl --path way.txt --count -q >answers || true
sed -E 's/^.{18}//; s/ pairs of triangles//; s/apart/apart  0/; s/  /,/' answers >wanted
tail -n +2 rows | cut -d , -f 4,5 | diff - wanted
head -n 1 rows
sed -n 3,5p rows | cut -d , -f 1-6
# The file of --output has the same rows, and so has JSON.
graze path torus.graze knot.graze --poses way.txt -o rows.csv -q >/dev/null || true
plain() { cut -d , -f 1-7,9 "$1"; }
diff <(plain rows) <(plain rows.csv)
if command -v jq >/dev/null; then
    graze path torus.graze knot.graze --poses way.txt --json -q >lines || true
    jq -r '[.step, .line, .label // "", .verdict, .contacts, (if .complete then 1 else 0 end), .depth // "",
        .error_reached] | join(",")' lines | diff - <(plain rows | tail -n +2)
    jq -c 'keys_unsorted' lines | sort -u
fi
# The deepest contact is that of the contacts.
head -n 2 way.txt | tail -n 1 | cut -d ' ' -f 2- >first
deepest=$(graze collide torus.stl knot.ply --pose "a:$(cat first)" --contacts --csv | tail -n +2 | cut -d , -f 12 |
    sort -g | tail -n 1)
[ "$deepest" = "$(sed -n 2p rows | cut -d , -f 7)" ] && echo "the depth is the deepest"
# Where the fixed one stands, tolerances, threads, memory, standard input, nothing to ask.
graze path torus.graze knot.graze --poses - --pose b:"9 0 0" --csv -q <way.txt | cut -d , -f 4 | sort | uniq -c
graze path torus.graze knot.graze --poses way.txt --tolerance 0.05 --threads 2 --memory 32M --csv -q |
    cut -d , -f 4 | sort | uniq -c
graze path torus.graze knot.graze --poses /dev/null --report none.html
echo "exit $?"
# The page: well-formed, alone, names escaped, one column a step or less.
cp torus.graze '<b>&"tor'"'"'us.graze'
graze path '<b>&"tor'"'"'us.graze' knot.graze --poses way.txt --report page.html -q >/dev/null || true
printf '%s 1 0 0 0 0 1 0 0 0 0 1 0\n' '\"]</script><b>&' >one.txt
graze path torus.graze knot.graze --poses one.txt --report one.html -q >/dev/null || true
awk 'BEGIN { for (i = 0; i < 2003; ++i) printf "1 0 0 %.17g 0 1 0 0 0 0 1 0\n", 1.5 - i / 2000 }' >long.txt
graze path torus.graze knot.graze --poses long.txt --tolerance 0.01 --report long.html -q >/dev/null || true
look() {
    python3 - "$1" <<'PROGRAM'
import html.parser, json, re, sys
text = open(sys.argv[1], encoding="utf-8").read()
class Reader(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.bad, self.charts, self.title, self.points = [], [], [], "", 0
    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag not in ("meta",):
            self.open.append(tag)
        if tag == "figure":
            self.charts.append(attributes["data-key"])
        if {"src", "href"} & attributes.keys():
            self.bad.append((tag, attributes))
    def handle_startendtag(self, tag, attributes):
        d = dict(attributes).get("d", "")
        if re.search("nan|inf", d):
            self.bad.append(d)
    def handle_endtag(self, tag):
        if self.open[-1:] != [tag]:
            self.bad.append((tag, self.getpos()))
        self.open.pop()
    def handle_data(self, data):
        if self.open[-1:] == ["title"]:
            self.title += data
reader = Reader()
reader.feed(text)
data = json.loads(re.search(r"var D=(\{.*?\});\n", text, re.S).group(1))
for key in reader.charts:
    rows = [data[key]] if key == "verdict" else data[key]
    assert all(len(row) == data["bins"] for row in rows), key
print(reader.title, reader.bad, reader.open, "http" in text, data["steps"], data["bins"])
print([data["verdict"].count(i) for i in range(4)], data["labels"][:4] if data["labels"] else None,
      [key for key in reader.charts if key in ("verdict", "time", "contacts", "depth", "tests")])
PROGRAM
}
look page.html
look one.html
look long.html
grep -c 'share a column' long.html
find . -name '.?*' ! -name '*.txt' -o -name '*.html' | sort # nothing else is left
