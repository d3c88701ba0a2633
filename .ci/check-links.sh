#!/usr/bin/env bash
# Every relative link and picture of a page leads to a file, and every `#place` to a heading of a page;
# what stands in back-ticks with a folder and an ending is a file of the kit's, and so is what begins
# with one of the kit's folders.
set -euo pipefail
cd "$(dirname "$0")/.."

# A heading's place, as pages are shown: lower case, without signs, blanks as hyphens.
places_of() { # FILE
  sed -nE 's/^#+ +(.*)/\1/p' "$1" | tr '[:upper:]' '[:lower:]' | sed -E 's/[^a-z0-9_ -]//g; s/ /-/g'
}

links=0 broken=0
while IFS=: read -r page link; do
  link=${link#*](} link=${link%)}
  links=$((links + 1))
  file=${link%%#*} place=
  [[ $link != *'#'* ]] || place=${link#*#}
  [ -n "$file" ] && file=$(dirname "$page")/$file || file=$page
  if [ ! -e "$file" ]; then
    echo "$page: there is no $link" >&2
    broken=$((broken + 1))
  elif [ -n "$place" ] && ! places_of "$file" | grep -qxF -- "$place"; then
    echo "$page: there is no heading $link" >&2
    broken=$((broken + 1))
  fi
done < <(git ls-files --cached --others --exclude-standard '*.md' | xargs grep -oHE '\]\([^) ]+\)' | grep -vE '\]\((https?|mailto):')
# From the kit's root, from the page's folder, or from where headers are included.
while IFS=: read -r page name; do
  name=${name//[\`|( ]/} links=$((links + 1)) found=
  for root in . "$(dirname "$page")" include src; do
    [ ! -e "$root/$name" ] || found=1
  done
  if [ -z "$found" ]; then
    echo "$page: there is no file $name" >&2
    broken=$((broken + 1))
  fi
done < <(git ls-files --cached --others --exclude-standard '*.md' | xargs grep -oHE '(`[A-Za-z0-9_.-]+/[A-Za-z0-9_./-]+\.(md|sh|c|h|cu|cuh|txt|tsv|awk|pl|cmake)`|[|( ](src|bench|docs|scripts|tests|examples)/[A-Za-z0-9_./-]+\.(md|sh|c|h|cu|cuh|txt|tsv|awk|pl))' | grep -vE '`(build|yours)/|PATTERN|foo\.cu')
echo "$links links, $broken broken"
[ $broken -eq 0 ] && [ $links -gt 100 ]
