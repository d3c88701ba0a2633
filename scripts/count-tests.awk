# Counts the tests in ctest's verbose output: a Criterion program by its own closing line, any
# other test as one. A Criterion program that neither ran nor skipped a test has failed. Why tests were skipped is said
# in a line a reason; reasons that differ in types alone are one.
/^[0-9]+: \[====\] Synthesis: Tested:/ {
    id = $1 + 0
    gsub(/[|:]/, " ")
    for (i = 1; i < NF; i++) {
        if ($i == "Tested") tested = $(i + 1)
        if ($i == "Passing") passing = $(i + 1)
        if ($i == "Failing") failing = $(i + 1)
        if ($i == "Crashing") crashing = $(i + 1)
    }
    criterion[id] = 1
    passed += passing
    nothing = tested == 0 && !skips[id]
    failed += failing + crashing + nothing
    unexplained[id] = failing + crashing + nothing == 0
}
/^[0-9]+: \[SKIP\]/ {
    skipped++
    skips[$1 + 0]++
    reason = $0
    if (!sub(/^[0-9]+: \[SKIP\] [^ ]+: /, "", reason)) reason = "no reason given"
    gsub(/(bf16|[iuf](8|16|32|64))( → (bf16|[iuf](8|16|32|64)))?/, "…", reason)
    reasons[reason]++
}
/^ *[0-9]+\/[0-9]+ Test +#[0-9]+:/ {
    id = $0
    sub(/.*Test +#/, "", id)
    id += 0
    if (/Passed/) {
        if (!criterion[id]) passed++
    } else if (!criterion[id] || unexplained[id]) {
        failed++ # also a Criterion program that ctest calls failed although all its tests passed
    }
}
/^No tests were found/ { failed++ }
END {
    for (reason in reasons) printf "skipped %d: %s\n", reasons[reason], reason | "sort -k2nr -k3"
    close("sort -k2nr -k3")
    printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped
    exit failed > 0 || passed == 0
}
