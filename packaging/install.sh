#!/bin/sh
# Installs Batchscope for this user, or takes it away again.
#
#   ./install.sh                  into ~/.local
#   ./install.sh --prefix FOLDER  into another folder
#   ./install.sh --uninstall      takes away what was installed; settings and sessions stay
#
# Whatever ends an installation early (a full disk, a signal, a power cut), the version that was there goes on
# working, and the same command, or --uninstall, can be given again.
set -eu
say() { echo "install.sh: $*" >&2; }
stop() { say "$1"; exit "${2:-1}"; }

here=$(cd "$(dirname "$0")" && pwd -P)
prefix=
remove=
while [ $# -gt 0 ]; do
    case $1 in
        --prefix) [ $# -gt 1 ] && [ -n "$2" ] || stop "--prefix needs a folder" 2
            prefix=$2; shift ;;
        --uninstall) remove=yes ;;
        -h | --help) sed -n '2,10s/^# \{0,1\}//p' "$0"; exit 0 ;;
        *) stop "unknown word: $1" 2 ;;
    esac
    shift
done
if [ -z "$prefix" ]; then
    [ -n "${HOME:-}" ] || stop "there is no HOME: say where to install with --prefix FOLDER" 2
    prefix=$HOME/.local
fi
case $prefix in /*) ;; *) prefix=$PWD/$prefix ;; esac

# Three folders beside each other, so that one becomes another by a rename, which is whole or not done at all.
lib=$prefix/lib
place=$lib/batchscope
stage=$lib/.batchscope.new
old=$lib/.batchscope.old
command=$prefix/bin/batchscope
link=../lib/batchscope/batchscope
part=.batchscope-part
desktop_cache=$prefix/share/applications/mimeinfo.cache

# The lists are this installer's mark on a folder: the files and the folders that it made within the prefix.
ours() { [ -f "$1/installed-files" ] || [ -f "$1/installed-folders" ]; }

listed() { cat "$place/$1" "$stage/$1" "$old/$1" 2>/dev/null | sort -u || :; }

# Removes a folder of the program; its lists go last, so that a removal that is cut off can be given again.
clear_folder() {
    [ -d "$1" ] || return 0
    find "$1" -mindepth 1 -maxdepth 1 ! -name installed-files ! -name installed-folders -exec rm -rf {} +
    rm -rf "$1"
}

# Makes a folder of the prefix with those above it, each noted before it is made: what is noted can be taken away.
make_folder() {
    [ ! -d "$prefix/$1" ] || return 0
    case $1 in */*) make_folder "${1%/*}" ;; esac
    echo "$1" >> "$stage/installed-folders"
    mkdir "$prefix/$1"
}

# Brings the desktop's two caches up to date; $1 is "gone" once the program's own entries are gone.
refresh() {
    if [ -d "$prefix/share/applications" ] && command -v update-desktop-database >/dev/null 2>&1; then
        update-desktop-database -q "$prefix/share/applications" || :
    fi
    if [ -d "$prefix/share/mime/packages" ] && command -v update-mime-database >/dev/null 2>&1; then
        update-mime-database "$prefix/share/mime" >/dev/null 2>&1 || :
    fi
    [ "$1" = gone ] || return 0
    # A cache without an entry says nothing: it is there because of what has been taken away.
    if [ -f "$desktop_cache" ] && ! grep -q = "$desktop_cache"; then
        rm -f "$desktop_cache"
    fi
    # update-mime-database fills the whole folder; where that folder is of our making, its results go with it.
    if listed installed-folders | grep -qx share/mime && [ -z "$(ls "$prefix/share/mime/packages" 2>/dev/null)" ]
    then
        (cd "$prefix/share/mime" 2>/dev/null && rm -f XMLnamespaces aliases generic-icons globs globs2 icons \
            magic mime.cache subclasses treemagic types version) || :
    fi
}

take_away() {
    ours "$place" || ours "$stage" || ours "$old" || stop "Batchscope is not installed in $prefix"
    listed installed-files | while IFS= read -r file; do
        rm -f "$prefix/$file" "$prefix/${file%/*}/$part.${file##*/}"
    done
    refresh gone
    folders=$(listed installed-folders | sort -r)
    # The folders above the lists go last, when the lists are gone.
    echo "$folders" | grep -vx lib | while IFS= read -r folder; do
        [ -z "$folder" ] || rmdir "$prefix/$folder" 2>/dev/null || :
    done
    clear_folder "$stage"
    clear_folder "$old"
    clear_folder "$place"
    if echo "$folders" | grep -qx lib; then rmdir "$lib" 2>/dev/null || :; fi
}

if [ -n "$remove" ]; then
    take_away
    echo "Batchscope is removed from $prefix. Settings and sessions stay in your home folder."
    exit 0
fi

# Nothing is laid down before these are known to hold.
if [ ! -d "$here/batchscope" ] || [ ! -d "$here/share" ]; then
    stop "this is the installed program: unpack the archive of a version and run the install.sh in it" 2
fi
case $prefix/ in "$here"/*) stop "$prefix lies in the unpacked archive: choose another folder" 2 ;; esac
for folder in "$place" "$stage" "$old"; do
    [ ! -e "$folder" ] || ours "$folder" || rmdir "$folder" 2>/dev/null \
        || stop "$folder is there, and not from this installer"
done
if { [ -e "$command" ] || [ -L "$command" ]; } && [ "$(readlink "$command" || :)" != "$link" ]; then
    stop "$command is there, and not from this installer"
fi
if ! ours "$place" && ! ours "$old"; then
    (cd "$here/share" && find . -type f) | while IFS= read -r file; do
        [ ! -e "$prefix/share/$file" ] || stop "$prefix/share/${file#./} is there, and not from this installer"
    done
fi
needed=$(cat "$here/needs-glibc" 2>/dev/null || :)
has=$(getconf GNU_LIBC_VERSION 2>/dev/null | sed 's/^glibc //' || :)
if [ -n "$needed" ] && [ -n "$has" ]; then
    oldest=$(printf '%s\n%s\n' "$needed" "$has" | sort -t . -k 1,1n -k 2,2n | head -n 1)
    [ "$oldest" = "$needed" ] || stop "this system has glibc $has, and this archive needs $needed or newer: \
nothing was installed"
fi

umask 022
# An earlier installation may have been cut off between its two renames: then the old version goes back first.
if [ ! -e "$place" ] && ours "$old"; then mv "$old" "$place"; fi
earlier=$(listed installed-folders)
earlier_files=$(listed installed-files)
clear_folder "$stage"
no_lib=
[ -d "$lib" ] || no_lib=yes
mkdir -p "$stage"

# Until the renames, whatever fails leaves the old version as it was, and nothing of the new one.
give_up() {
    status=$?
    trap - EXIT
    [ "$status" -ne 0 ] || exit 0
    if [ -d "$stage" ]; then
        set +e
        (cd "$here/share" && find . -type f) | sed 's|^\./||' | while IFS= read -r file; do
            rm -f "$prefix/share/${file%/*}/$part.${file##*/}"
        done
        if ours "$place"; then
            # Folders that were noted for the new version alone are empty.
            sort -r "$stage/installed-folders" | while IFS= read -r folder; do
                grep -qx "$folder" "$place/installed-folders" || rmdir "$prefix/$folder" 2>/dev/null
            done
            clear_folder "$stage"
        else
            (take_away)
        fi
        say "nothing was installed$(ours "$place" && echo "; the version that was there is as it was")"
    fi
    exit "$status"
}
trap give_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

{
    [ -z "$earlier" ] || printf '%s\n' "$earlier"
    [ -z "$no_lib" ] || echo lib
} | sort -u > "$stage/installed-folders"
{
    echo bin/batchscope
    (cd "$here/share" && find . -type f | sed 's|^\.|share|' | sort)
} > "$stage/installed-files"
cp -R "$here/batchscope/." "$stage/"
cp "$here/LICENSE" "$here/THIRD-PARTY.txt" "$here/batchscope.cdx.json" "$here/install.sh" "$stage/"
# All that needs room on the disk is written before anything of the old version is touched.
make_folder bin
sed -n 's|^share/||p' "$stage/installed-files" | while IFS= read -r file; do
    case $file in */*) make_folder "share/${file%/*}" ;; *) make_folder share ;; esac
    target=$prefix/share/$file
    cp "$here/share/$file" "${target%/*}/$part.${target##*/}"
done
"$stage/batchscope" --version >/dev/null || stop "the new version does not start on this system"

# From here on there are renames alone. What fails now is finished by the same command, given again.
trap - EXIT INT TERM HUP
clear_folder "$old"
[ ! -e "$place" ] || mv "$place" "$old"
mv "$stage" "$place"
[ -L "$command" ] || ln -s "$link" "$command"
sed -n 's|^share/||p' "$place/installed-files" | while IFS= read -r file; do
    target=$prefix/share/$file
    mv -f "${target%/*}/$part.${target##*/}" "$target"
done
# Files of the old version that the new one does not have.
printf '%s\n' "$earlier_files" | while IFS= read -r file; do
    [ -z "$file" ] || grep -Fqx -- "$file" "$place/installed-files" || rm -f "$prefix/$file"
done
clear_folder "$old"
refresh there
echo "Batchscope is installed: $command"
case :$PATH: in
    *:"$prefix/bin":*) ;;
    *) echo "To start it by its name: export PATH=\"$prefix/bin:\$PATH\"" ;;
esac
echo "To take it away: $place/install.sh --prefix \"$prefix\" --uninstall"
