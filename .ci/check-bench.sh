#!/usr/bin/env bash
# What primbench does with the files that it wrote, by the results in bench/results: which rows it
# takes, of which file, and what it says became slower. Builds nothing: after scripts/bench.sh.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=.ci/checks.sh
. .ci/checks.sh

bench=$PWD/build/cpu/bench/primbench
[ -x "$bench" ] || bench=$PWD/build/cuda/bench/primbench
scan=$PWD/bench/results/h200-scan.json

# One file with several patterns, as a run of all writes it.
all=$work/all.json
jq -s '{context: .[0].context, results: map(.results) | add}' \
  bench/results/h200-{reduce,merge,histogram,convolution,gemm,gemv,spmv,binary_gemm}.json >"$all"

# exits STATUS WORDS ARGUMENT…: primbench ends so, and what it says has the words in it.
exits() {
  local status=$1 words=$2 result=0
  shift 2
  "$bench" "$@" >said 2>&1 || result=$?
  [ $result -eq "$status" ] && grep -qF -- "$words" said && return
  cat said
  echo "primbench $*: exit status $result, not $status, or not a word of: $words"
  return 1
}

# slower FACTOR FILE: the file, with reduce's auto at 2^26 f32 taking FACTOR times as long.
slower() {
  jq --argjson factor "$1" '.results |= map(if .pattern == "reduce" and .case == "sum" and .type == "f32"
    and .shape == "67108864" and .variant == "auto" and .mode == "cold"
    then .median_us *= $factor else . end)' "$2"
}

compares() {
  local rows
  rows=$(jq '.results | length' "$all")
  exits 0 "$rows rows compared; in A alone 0, in B alone 0" --compare "$all" "$all" &&
    grep -qx 'geometric mean of B/A: 1.000' said && grep -qx 'beyond noise: 0 slower, 0 faster' said &&
    slower 1.3 "$all" >slow.json &&
    exits 1 'worst: 1.300: reduce sum f32 67108864 uniform auto cold' --compare "$all" slow.json &&
    grep -qx 'beyond noise: 1 slower, 0 faster' said && [ "$(grep -c ' slower$' said)" -eq 1 ] &&
    exits 0 'beyond noise: 0 slower, 1 faster' --compare slow.json "$all" &&
    slower 1.015 "$all" >close.json && # the noise of both is below 1 %, and 2 % is the least
    exits 0 'worst: 1.015' --compare "$all" close.json
}

# Rows of one side alone, and none in common.
compares_parts() {
  jq 'del(.results[0, 1, 2])' "$all" >fewer.json &&
    exits 0 'in A alone 3, in B alone 0' --compare "$all" fewer.json &&
    exits 0 'in A alone 0, in B alone 3' --compare fewer.json "$all" &&
    exits 2 'no row in common' --compare "$all" "$scan"
}

compares_what_was_asked_for() {
  slower 1.3 "$all" >slow.json
  exits 1 'beyond noise: 1 slower' --compare "$all" slow.json reduce --variant auto &&
    exits 1 'beyond noise: 1 slower' reduce --compare "$all" slow.json --size 2^26 --type f32 &&
    exits 0 'beyond noise: 0 slower' --compare "$all" slow.json merge &&
    exits 0 'beyond noise: 0 slower' --compare "$all" slow.json --variant shuffle,cub
}

# Of three runs the median counts, and how far they lie apart is noise.
compares_several_runs() {
  slower 1.3 "$all" >slow.json
  slower 1.2 "$all" >slow2.json
  slower 1.02 "$all" >close.json
  exits 0 'beyond noise: 0 slower' --compare "$all,$all,$all" "$all,slow.json,$all" &&
    exits 1 'worst: 1.200' --compare "$all" "slow.json,slow2.json,slow2.json" &&
    exits 0 'worst: 1.200' --compare "$all" "slow.json,slow2.json,close.json" # 23 % apart
}

# column N ARGUMENT…: the different values in that column of the rows that --csv then has, in a line.
column() {
  local number=$1
  shift
  "$bench" "$@" --csv rows.csv >/dev/null && tail -n +2 rows.csv | cut -d , -f "$number" | sort -u | paste -sd ' '
}

takes_what_was_asked_for() {
  [ "$(column 2 --from "$all" reduce --case sum,dot)" = 'dot sum' ] &&
    [ "$(column 5 --from "$all" reduce --type u8)" = 'u8 u8->u64' ] &&
    [ "$(column 1 --from "$all" sparse)" = spmv ] &&
    [ "$(column 6 --from "$all" gemv --size 16384)" = 16384x16384 ] &&
    [ "$(column 7 --from "$all" histogram --input equal)" = equal ] &&
    [ "$(column 3 --from "$all" merge --variant auto,tiled)" = 'auto tiled' ] &&
    [ "$(column 3,4 --from "$all" merge --variant auto --peers)" = ',cub ,cub_radix auto,' ] &&
    [ "$(column 3,4 --from "$all" merge --variant cub)" = ,cub ]
}

takes_the_newest() {
  jq '.context.date = "2100-01-01T00:00:00Z" | .context.commit = "newer"
    | .results |= map(select(.pattern == "merge") | .median_us = 7)' "$all" >newer.json
  [ "$(column 9 --from "$all,newer.json,$scan" merge)" = 7 ] &&
    [ "$(column 9 --from "newer.json,$all" merge)" = 7 ] &&
    [ "$(column 1 --from "$all,newer.json,$scan")" = \
      'binary_gemm convolution gemm gemv histogram merge reduce scan spmv' ] &&
    [ "$(wc -l <rows.csv)" -eq "$(jq -s 'map(.results | length) | add + 1' "$all" "$scan")" ] &&
    exits 0 2100-01-01 --from "newer.json,$all" merge --json merge.json &&
    [ "$(jq -r .context.commit merge.json)" = newer ] &&
    exits 2 'these results are of 2' --from "$all,$scan" --json both.json && [ ! -e both.json ]
}

# The table of files has nothing where JSON has null, and a number where JSON has one.
leaves_empty_what_means_nothing() {
  "$bench" --from "$all" --csv rows.csv >/dev/null &&
    diff <(tail -n +2 rows.csv | sed -E 's/[^,]+/x/g') <(jq -r '.results[] | [.pattern, .case, .variant,
      .peer, .type, .shape, .input, .mode, .median_us, .min_us, .noise, .bytes, .flops, .gbps, .gflops,
      .of_ceiling, .of_floor, .host_us] | map(if . == null then "" else "x" end) | join(",")' "$all") &&
    grep -q ',,' rows.csv
}

# Both clocks, the same calls.
measures_calls_alone() {
  "$bench" reduce --case sum --type f32 --size 1000 --alone --json alone.json >/dev/null &&
    [ "$(jq -r '[.results[] | select(.mode == "alone") | .variant] | join(" ")' alone.json)" = \
      "$(jq -r '[.results[] | select(.mode == "cold") | .variant] | join(" ")' alone.json)" ] &&
    exits 0 ' alone ' --from alone.json
}

# Before anything is measured: not even the device is named.
checks_outputs_first() {
  local option
  for option in --json=none/a.json --csv=none/a.csv --plot=none/plots; do
    exits 1 'No such file or directory' reduce --size 1000 "$option" && [ "$(wc -l <said)" -eq 1 ] || return 1
  done
  echo kept >kept.json && exits 2 'no variant foo' reduce --variant foo --json kept.json &&
    [ "$(<kept.json)" = kept ] || return 1
  mkdir bin && ln -s "$(command -v sh)" bin/sh &&
    PATH=$PWD/bin exits_without_gnuplot
}

exits_without_gnuplot() {
  ! "$bench" reduce --size 1000 --plot plots >said 2>&1 || return 1
  [ "$(<said)" = "primbench: there is no gnuplot; Debian's package is gnuplot-nox" ]
}

# What a group has none of has no column; what is noisy has a mark; small figures are no zeros.
prints_what_says_something() {
  jq '.context.ceilings = {read_gbps: 1, copy_gbps: 1, empty_launch_us: 1} | .results |= map(select(.peer == null and .mode == "cold" and .shape == "1024")
    | .of_ceiling = null | .of_floor = null | .noise = 0)' "$all" >plain.json &&
    exits 0 'auto to the lowest rung' --from plain.json merge &&
    grep -qx '  variant               mode     median us   noise        GB/s    lowest' said &&
    ! grep -q ' - *$' said && jq '.results |= map(if .variant == "auto" then .median_us = 3500 | .noise = 0.06
      else .median_us = 5 end)' plain.json >slow.json &&
    exits 0 '6.0%!' --from slow.json merge --type i32 --case merge && grep -q ' 0\.0014x$' said &&
    grep -qxE '1 of [0-9]+ times are noisy: marked with !' said && exits 0 'auto to the fastest peer' --from "$all" &&
    jq '.context.ceilings = {}' plain.json >cpu.json && exits 0 'the CPU backend' --from cpu.json merge &&
    ! grep -q '  lowest' said
}

# Of auto at 1 and 8 times the peer's time: the mean is geometric, and the worst is named.
sums_up() {
  jq '.results |= (map(select(.pattern == "merge" and .case == "merge" and .type == "i32" and .mode == "cold"
    and (.shape == "1024" or .shape == "65536") and (.variant == "auto" or .peer == "cub")))
    | map(.median_us = if .variant == "auto" and .shape == "65536" then 8 else 1 end))' "$all" >two.json
  exits 0 'auto to the fastest peer' --from two.json &&
    grep -qE '^  merge +2 +0\.35x +0\.12x  merge i32 65536 uniform$' said
}

# Of drawn cases the same ones for the same seed, and each can be had alone.
draws_the_same_cases() {
  "$bench" --list --draw 50 --seed 1 >one && "$bench" --list --draw 50 --seed 1 >again && cmp one again &&
    "$bench" --list --draw 50 --seed 2 >two && ! cmp -s one two &&
    [ "$(grep -c '^scan drawn_rows ' one)" -eq 50 ] && [ "$(sort -u one | wc -l)" -eq "$(wc -l <one)" ] &&
    diff <("$bench" --list --draw 50 --seed 1 --case drawn_2d --only 7) <(grep ' drawn_2d .* #7 ' one) &&
    exits 64 'measures AUTO' --draw 3 --size 5 && exits 64 'need --draw' --seed 3 &&
    exits 64 'is not a number' --draw 0
}

# A peer 2 times as long as auto, but for one case of 20, where it takes a quarter; and shares of half the
# roofline, but for the same one: 2 · (1/8)^(1/20) = 1.80, and 0.5 · (1/5)^(1/20) = 0.46.
sums_up_what_was_drawn() {
  "$bench" reduce --case drawn_sum --draw 20 --seed 4 --json drawn.json >said &&
    grep -q '^20 cases a call, seed 4' said && [ "$(jq '.results | length' drawn.json)" -eq 20 ] &&
    jq '.results |= (map(.median_us = 8 | .of_floor = (if .shape | endswith("#13") then 0.1 else 0.5 end))
      | map(., (.median_us = (if .shape | endswith("#13") then 2 else 16 end) | .peer = "cub" | .variant = null)))' \
      drawn.json >peers.json &&
    exits 0 'primbench reduce --draw 20 --seed 4 --case drawn_sum --only 13' --from peers.json &&
    grep -qE '^  reduce +sum +20 +0\.46 \[ *0\.[0-9]+ +0\.50\] +0\.50 +0\.10 +20 +1\.80 \[ *1\.[0-9]+ +2\.00\] +2\.00 +0\.25$' said &&
    grep -qE '^   0\.25  reduce sum ' said && grep -qE '^   0\.10  reduce sum ' said
}

names_what_there_is() {
  exits 2 'there is no pattern foo; there are: reduce scan' foo &&
    exits 2 'there is no variant foo here; there are: auto kogge_stone' --list scan --variant foo &&
    exits 2 'there is no case foo here; there are: sum rows' --from "$all" reduce --case foo &&
    exits 2 'there is no variant foo here; there are: auto interleaved' --compare "$all" "$all" --variant foo &&
    exits 2 'no result of what was asked for' --from "$all" reduce --size 3 &&
    exits 0 'Patterns: reduce scan' --help &&
    grep -qF 'spmv (or sparse)' said &&
    exits 64 'two files' --compare "$all" &&
    exits 64 'only prints' --compare "$all" "$all" --csv rows.csv &&
    exits 64 'take no other options' articles --list
}

# Each call has a row of times, and the file says on how many devices.
scales_over_devices() {
  SIMT_DEVICES=2 "${bench%/*}/primscaling" --commit one --json scaling.json >said &&
    [ "$(jq '[.results[] | select(.together_us > 0 and .alone_us > 0)] | length' scaling.json)" = 14 ] &&
    [ "$(jq -c '[.streams[] | select(.streamed_us > 0) | .gpus]' scaling.json)" = '[1,2]' ] &&
    [ "$(jq -c '[.context.gpus, .context.commit]' scaling.json)" = '[2,"one"]' ]
}

check compares compares
check compares-parts compares_parts
check compares-what-was-asked-for compares_what_was_asked_for
check compares-several-runs compares_several_runs
check takes-what-was-asked-for takes_what_was_asked_for
check takes-the-newest takes_the_newest
check leaves-empty-what-means-nothing leaves_empty_what_means_nothing
check measures-calls-alone measures_calls_alone
check checks-outputs-first checks_outputs_first
check prints-what-says-something prints_what_says_something
check sums-up sums_up
check draws-the-same-cases draws_the_same_cases
check sums-up-what-was-drawn sums_up_what_was_drawn
check names-what-there-is names_what_there_is
check scales-over-devices scales_over_devices
counts
