# Counts the tests in ctest's verbose output: a Criterion program by its own closing line, any
# other test as one. A Criterion program that neither ran nor skipped a test has failed. Says how many
# tests were skipped for what kind of reason; each one's own stands in the log.
function kind_of(reason) {
    if (reason ~ /LEVEL|level|another case has the same/)
        return "only at a higher PRIM_TEST_LEVEL"
    if (reason ~ /GPU|device|NCCL|OpenMP|memory|address space|capability|matrices|built without/)
        return "needs a GPU, another device, more memory, data or a library"
    if (reason ~ / has no | does not do | finds no |rung|order of its own|element by element/)
        return "the variant does not do it"
    return "does not apply: such as zeros of two signs, of integers"
}

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
    kinds[kind_of(reason)]++
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
    for (kind in kinds) printf "skipped %d: %s\n", kinds[kind], kind | "sort -k2nr -k3"
    close("sort -k2nr -k3")
    printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped
    exit failed > 0 || passed == 0
}
