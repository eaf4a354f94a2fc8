# Answers with an error hold for the exact ones, and say what they reached.
command -v jq >/dev/null || { echo "jq is missing" >&2; exit 77; }
graze make knot -n 10k -o a.ply -q && graze make torus -n 10k -o b.ply -q || exit
graze build a.ply -o a.graze -q && graze build b.ply -o b.graze -q || exit
if graze collide a.graze b.graze --error 1% 2>&1 | grep -q 'not here yet'; then
    echo "the library has no answers with an error" >&2
    exit 77
fi
# A percentage is one of the smaller of the two; b is as wide as 1, a less.
width=$(graze info a.ply --json --counts-only | jq '.bounds | [.max[0] - .min[0], .max[1] - .min[1], .max[2] - .min[2]] | max')
for x in 0 0.5 0.9 0.98 1.2 3; do
    exact=$(graze collide a.graze b.graze --pose "b:$x 0 0" --json | jq -r .verdict)
    for percent in 0.1 1 4; do
        graze collide a.graze b.graze --pose "b:$x 0 0" --error $percent% --contacts --json >answer
        code=$?
        jq -c --arg exact "$exact" --argjson code $code --argjson error "$(jq -n "$percent / 100 * $width")" '
            (.verdict == "apart") as $apart |
            if $apart and $exact != "apart" then "a contact is missed" else empty end,
            if .verdict == "contact" and $exact != "contact" then "a contact is made up" else empty end,
            if .verdict == "undecided" then "undecided" else empty end,
            if $apart != (.pair_count == 0) then "contacts and verdict differ" else empty end,
            if $code != (if $apart then 0 else 1 end) then "exit code \($code)" else empty end,
            if .error_reached > $error * 1.000001 then "an error of \(.error_reached)" else empty end,
            if .cut.a > .triangles.a or .cut.b > .triangles.b then "cuts are too large" else empty end,
            if any(.contacts[]; .error > $error * 1.000001 or .depth < -.error * 3) then "a contact is far off" else empty end
        ' answer
        # The error that was reached asks for the same answer.
        graze collide a.graze b.graze --pose "b:$x 0 0" --error "$(jq .error_reached answer)" --contacts --json |
            jq -c '[.verdict, .contacts]' >again
        jq -c '[.verdict, .contacts]' answer | cmp - again
    done
    # The distance is in the interval, which is not wider than the error.
    distance=$(graze distance a.graze b.graze --pose "b:$x 0 0" --json | jq .distance)
    graze distance a.graze b.graze --pose "b:$x 0 0" --error 1% --json |
        jq -c --argjson exact "$distance" --argjson error "$(jq -n "$width / 100")" '
            if .least <= $exact and $exact <= .distance and .distance - .least <= $error * 1.000001
            then empty else "not \($exact): \([.least, .distance])" end'
done
# The depth is between its bounds, which are not farther apart than the error and a hundredth.
for x in 0 0.3 0.8; do
    graze collide a.graze b.graze --pose "b:$x 0 0" --depth --json >exact
    graze collide a.graze b.graze --pose "b:$x 0 0" --depth --error 2% --json |
        jq -c --slurpfile exact exact --argjson error "$(jq -n "$width / 50")" '.depth as $got | $exact[0].depth as $is |
            if $got.low <= $is.high and $is.low <= $got.high and
               $got.high <= ([1.01 * $got.low + $error, 0.01] | max)
            then empty else "not \([$is.low, $is.high]): \([$got.low, $got.high])" end'
done
# A budget of a minute is enough for the exact answer; of a nanosecond's thousandth, for some answer.
graze collide a.graze b.graze --budget 1min --contacts --json | jq -c '[.verdict, .error_reached]'
graze collide a.graze b.graze --budget 0.000001us --json | jq -c '.verdict | IN("contact", "within error", "undecided")'
# For people.
shown() { sed -E 's/-?[0-9]+([.,][0-9]+)*(e-[0-9]+)?/N/g'; }
graze collide a.graze b.graze --pose 'b:0.98 0 0' --error 4% | tail -n +2 | shown
graze collide a.graze b.ply --pose 'b:3 0 0' --error 4% | shown
graze distance a.graze b.graze --pose 'b:3 0 0' --error 4% | shown
# Along a path.
printf '1 0 0 -3 0 1 0 0 0 0 1 0\n1 0 0 0 0 1 0 0 0 0 1 0\n' >way.txt
graze path a.graze b.graze --poses way.txt --error 1% --report page.html --json -q |
    jq -c --argjson error "$(jq -n "$width / 100")" '[.step, .verdict == "apart", .error_reached <= $error * 1.000001]'
grep -oE 'Answers may be off, to the safe side|<dt>within error' page.html
