#!/usr/bin/env bash
# Make the packages: a .tar.gz that runs from any folder, and on Debian and Ubuntu the .deb of the library, of what
# programs are built with, and of the programs.
#
# usage: package.sh [FOLDER]     where to put them; default: build/packages
#        environment: DEBFULLNAME, DEBEMAIL, who answers for the .deb
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=scripts/packages.sh
. scripts/packages.sh
mkdir -p "${1:-build/packages}"
folder=$(cd "${1:-build/packages}" && pwd)
need_packages "${build_packages[@]}"
build_in build-package -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX=/usr -DARGMAX_CL_BUILD_TESTS=OFF \
    -DARGMAX_CL_BUILD_EXAMPLES=OFF
(umask 022 && cd build-package && cpack -B "$folder" >cpack.log) || { cat build-package/cpack.log; exit 1; }
rm -rf "$folder/_CPack_Packages"
ls -1 "$folder"/*.tar.gz "$folder"/*.deb
