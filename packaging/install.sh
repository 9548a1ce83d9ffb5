#!/bin/sh
# Installs Batchscope for this user, or takes it away again.
#
#   ./install.sh                  into ~/.local
#   ./install.sh --prefix FOLDER  into another folder
#   ./install.sh --uninstall      takes away what was installed; settings and sessions stay
set -eu
here=$(cd "$(dirname "$0")" && pwd)
prefix=${HOME}/.local
remove=
while [ $# -gt 0 ]; do
    case $1 in
        --prefix) [ $# -gt 1 ] || { echo "install.sh: --prefix needs a folder" >&2; exit 2; }
            prefix=$2; shift ;;
        --uninstall) remove=yes ;;
        -h | --help) sed -n '2,7s/^# \{0,1\}//p' "$0"; exit 0 ;;
        *) echo "install.sh: unknown word: $1" >&2; exit 2 ;;
    esac
    shift
done
place=$prefix/lib/batchscope
list=$place/installed-files
folders=$place/installed-folders

refresh() {
    [ -d "$prefix/share/applications" ] && command -v update-desktop-database >/dev/null 2>&1 && update-desktop-database -q "$prefix/share/applications" || :
    [ -d "$prefix/share/mime/packages" ] && command -v update-mime-database >/dev/null 2>&1 && update-mime-database "$prefix/share/mime" >/dev/null 2>&1 || :
}

take_away() {
    [ -f "$list" ] || { echo "install.sh: Batchscope is not installed in $prefix" >&2; exit 1; }
    while IFS= read -r file; do
        rm -f "$prefix/$file"
    done < "$list"
    made=$(sort -r "$folders" 2>/dev/null || :)
    rm -rf "$place"
    while IFS= read -r folder; do
        [ -z "$folder" ] || rmdir "$prefix/$folder" 2>/dev/null || :
    done <<END
$made
END
}

# Makes a folder of the prefix with those above it, and notes the ones that were not there.
make_folder() {
    [ ! -d "$prefix/$1" ] || return 0
    make_folder "$(dirname "$1")"
    mkdir "$prefix/$1"
    echo "$1" >> "$folders"
}

if [ -n "$remove" ]; then
    take_away
    refresh
    echo "Batchscope is removed from $prefix. Settings and sessions stay in your home folder."
    exit 0
fi
if [ -e "$place" ]; then
    [ -f "$list" ] || { echo "install.sh: $place is there, and not from this installer" >&2; exit 1; }
    take_away
fi
if [ -e "$prefix/bin/batchscope" ] || [ -L "$prefix/bin/batchscope" ]; then
    echo "install.sh: $prefix/bin/batchscope is there, and not from this installer" >&2
    exit 1
fi
umask 022
mkdir -p "$prefix"
new=
[ -d "$prefix/lib" ] || new=lib
mkdir -p "$place"
: > "$folders"
[ -z "$new" ] || echo "$new" >> "$folders"
make_folder bin
cp -R "$here/batchscope/." "$place/"
cp "$here/LICENSE" "$here/THIRD-PARTY.txt" "$here/batchscope.cdx.json" "$here/install.sh" "$place/"
: > "$list"
(cd "$here/share" && find . -type f | sed 's|^\./||' | sort) | while IFS= read -r file; do
    make_folder "share/$(dirname "$file")"
    cp "$here/share/$file" "$prefix/share/$file"
    echo "share/$file" >> "$list"
done
ln -s ../lib/batchscope/batchscope "$prefix/bin/batchscope"
echo bin/batchscope >> "$list"
refresh
echo "Batchscope is installed: $prefix/bin/batchscope"
case :$PATH: in
    *:"$prefix/bin":*) ;;
    *) echo "To start it by its name: export PATH=\"$prefix/bin:\$PATH\"" ;;
esac
echo "To take it away: $place/install.sh --prefix \"$prefix\" --uninstall"
