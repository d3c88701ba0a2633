# Draws ladders of bench/results/ladders.txt as an SVG picture: a bar for each rung, as long as the
# share of the card that it reaches, or of the fastest rung where that is not known, and a line where
# the fastest vendor library is. -v only=PATTERN: of one pattern.
BEGIN {
    columns = split(only != "" ? only : "reduce scan|histogram convolution|gemm", column, "|")
    ROW = 19; BAR = 13; NAME = only == "" ? 118 : 150; FULL = 140; WIDTH = 330; TOP = 16
}

/^[a-z_]+: / {
    pattern = substr($1, 1, length($1) - 1)
    title = $0
    sub(/^[a-z_]+: /, "", title)
    card = title
    sub(/.*\(/, "", card)
    sub(/,.*/, "", card)
    sub(/ \(.*/, "", title)
    titles[pattern] = title
}

# A rung, AUTO, which is one of them, or a library: microseconds, rate, share of the card.
/^  [a-z]/ && $1 != "auto" {
    share = $4
    if (share != "-" && $6 == "-") {
        if (share > library[pattern]) { library[pattern] = share; of[pattern] = $1 }
    } else {
        n = ++rungs[pattern]
        names[pattern, n] = $1
        if (share == "-") { # a rate alone: TFLOP/s
            has_rates[pattern] = 1
            share = $3
        }
        shares[pattern, n] = share
        if (share > best[pattern]) best[pattern] = share
    }
}

function text(x, y, class, what) {
    gsub(/&/, "\\&amp;", what)
    return sprintf("<text x=\"%.1f\" y=\"%.1f\" class=\"%s\">%s</text>\n", x, y, class, what)
}

function draw(p, x, y,    n, at, out) {
    out = text(x, y + 14, "pattern", p) text(x, y + 30, "title", titles[p])
    for (n = 1; n <= rungs[p]; n++) {
        at = y + 40 + (n - 1) * ROW
        out = out text(x + NAME - 8, at + BAR - 2, "name", names[p, n])
        out = out sprintf("<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" class=\"%s\"/>\n", x + NAME, at,
            FULL * shares[p, n] / (has_rates[p] ? best[p] : 100), BAR, shares[p, n] == best[p] ? "best" : "rung")
        out = out text(x + NAME + FULL + (shares[p, n] > 100 && !has_rates[p] ? 22 : 8), at + BAR - 2, "share", has_rates[p] ? shares[p, n] " TFLOP/s" : shares[p, n] " %")
    }
    at = x + NAME + FULL * library[p] / 100
    if (library[p] > 0)
        out = out sprintf("<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n", at, y + 36, at,
            y + 40 + rungs[p] * ROW - 3) text(at, y + 40 + rungs[p] * ROW + 8, "library", of[p])
    return out
}

END {
    for (c = 1; c <= columns; c++) {
        y = TOP
        k = split(column[c], of_column, " ")
        for (p = 1; p <= k; p++) {
            body = body draw(of_column[p], 16 + (c - 1) * WIDTH, y)
            y += 72 + rungs[of_column[p]] * ROW
        }
        if (y > height) height = y
    }
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\">\n", (only != "" ? 1.3 : 3) * WIDTH, height + 8
    print "<title>What each rung of a ladder reaches of the card, " card "</title>"
    print "<style>text{fill:#24292f;font-size:12px}.pattern{font-size:15px;font-weight:bold}.title{fill:#57606a}"
    print ".name{text-anchor:end;font-family:monospace;font-size:11px}.share{font-size:11px}"
    print ".library{text-anchor:middle;fill:#bc4c00;font-size:11px}"
    print ".rung{fill:#9fb6d3}.best{fill:#1f6feb}line{stroke:#bc4c00;stroke-width:1.5}</style>"
    print "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>"
    printf "%s", body
    says = has_rates[only] ? "On an " card : "Share of what a plain read, copy or multiply-adds reach on an " card "; orange: the fastest vendor library."
    if (only != "" && !has_rates[only])
        says = "Share of an " card (library[only] > 0 ? "; orange: " of[only] : "")
    print text(16, height, "title", says)
    print "</svg>"
}
