#!/usr/bin/env bash
# Makes the reference of the public headers, build/reference/html/index.html, with Doxygen. A warning
# is an error: what a header declares has a comment.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/lib.sh
. scripts/lib.sh

need 'command -v doxygen' doxygen
install_missing
rm -rf build/reference && mkdir -p build/reference
PRIMITIVES_VERSION=$(kit_version) doxygen docs/Doxyfile
echo "build/reference/html/index.html"
