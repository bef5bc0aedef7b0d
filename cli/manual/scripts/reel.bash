# bash completion for reel                                 -*- shell-script -*-
# shellcheck shell=bash
_reel() {
  local word=${COMP_WORDS[COMP_CWORD]} line candidate
  local -a answer
  [[ $word == = ]] && word=  # bash takes the sign of --option=value for a word of its own
  mapfile -t answer < <(reel complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  COMPREPLY=()
  case ${answer[0]:-words} in
    documents)
      compopt -o filenames 2>/dev/null
      mapfile -t COMPREPLY < <(compgen -d -- "$word"; compgen -f -X '!*.reel' -- "$word")
      ;;
    folders)
      compopt -o filenames 2>/dev/null
      mapfile -t COMPREPLY < <(compgen -d -- "$word")
      ;;
    programs)
      compopt -o filenames 2>/dev/null
      mapfile -t COMPREPLY < <(compgen -c -- "$word"; compgen -f -- "$word")
      ;;
    files)
      compopt -o filenames 2>/dev/null
      mapfile -t COMPREPLY < <(compgen -f -- "$word")
      ;;
    words)
      # compgen -W would run what a kernel is named, such as $(...): so words are compared here, and
      # quoted before they reach the command line.
      for line in "${answer[@]:1}"; do
        candidate=${line%%$'\t'*}
        [[ $candidate == "$word"* ]] || continue
        COMPREPLY+=("$(printf '%q' "$candidate")")
      done
      if [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *= ]]; then compopt -o nospace 2>/dev/null; fi
      ;;
  esac
}
complete -F _reel reel
