import { type Flag, type Place, pathsBelow, patterns, quoted, valued } from './places.ts'

/** For zsh 5, as a file of `fpath` or sourced. */
export function zsh(places: readonly Place[]): string {
  const flags = valued(places)
  return `#compdef svcctl
# zsh completion of svcctl. Made by: svcctl completion zsh
_svcctl_names() {
  local -a names
  names=("\${(@f)$("\${words[1]}" names "$1" -- "\${(@)words[2,CURRENT-1]}" 2>/dev/null </dev/null)}")
  if [[ -n "\${names[1]}" ]]; then compadd -- "\${names[@]}"; fi
}
_svcctl() {
  local word at=svcctl position=0 i
  local -a items
  for ((i = 2; i < CURRENT; i++)); do
    word="$at \${words[i]}"
    case "$word" in
      (${patterns(pathsBelow(places))}) at="$word" position=0 ;;
      (${patterns(flags.flatMap(({ at }) => at))}) i=$((i + 1)) ;;
      (*' -'*) ;;
      (*) position=$((position + 1)) ;;
    esac
  done
  case "$at \${words[CURRENT - 1]}" in
${flags.map(({ at, flag }) => `    (${patterns(at)}) ${valuesOf(flag)}; return ;;`).join('\n')}
  esac
  if [[ "\${words[CURRENT]}" == -* ]]; then
    case "$at" in
${places.map(({ path, options }) => `      (${quoted(path)}) items=(${described(options.map(({ long, description }) => [long, description]))}) ;;`).join('\n')}
    esac
    _describe -o option items
    return
  fi
  case "$at $position" in
${places.flatMap(namesCases).join('\n')}
  esac
  case "$at" in
${places.filter(hasWords).map(wordsCase).join('\n')}
    (*) _message 'no more arguments' ;;
  esac
}
if [[ "\${funcstack[1]}" == _svcctl ]]; then _svcctl "$@"; else compdef _svcctl svcctl; fi
`
}

const hasWords = ({ commands, choices, takesFile }: Place): boolean =>
  commands.length > 0 || choices.length > 0 || takesFile

function wordsCase({ path, commands, choices, takesFile }: Place): string {
  const words = [
    ...commands.map(({ name, description }) => [name, description]),
    ...choices.map(choice => [choice, '']),
  ]
  const items = words.length > 0 ? ` items=(${described(words)}); _describe command items;` : ''
  return `    (${quoted(path)})${items}${takesFile ? ' _files' : ''} ;;`
}

/** `name:description`, in which a colon has to be escaped. */
const described = (rows: readonly (readonly string[])[]): string =>
  rows
    .map(([name = '', description = '']) => quoted([name, description].filter(Boolean).map(escaped).join(':')))
    .join(' ')

const escaped = (text: string): string => text.replaceAll(':', '\\:')

const namesCases = ({ path, names }: Place): readonly string[] =>
  names.map(({ position, kind }) => `    (${quoted(`${path} ${position}`)}) _svcctl_names ${kind}; return ;;`)

function valuesOf({ choices, names, takes }: Flag): string {
  if (names) return `_svcctl_names ${names}`
  if (choices.length > 0) return `compadd -- ${choices.map(quoted).join(' ')}`
  return takes === 'file' ? '_files' : "_message 'a value'"
}
