import { type Flag, type Place, pathsBelow, patterns, quoted, valued } from './places.ts'

/** For bash 3.2 and later, with no need of bash-completion. */
export function bash(places: readonly Place[]): string {
  const flags = valued(places)
  return `# bash completion of svcctl. Made by: svcctl completion bash
_svcctl_names() {
  local name
  while IFS= read -r name; do
    if [[ "$name" == "$current"* ]]; then COMPREPLY+=("$name"); fi
  done < <("\${COMP_WORDS[0]}" names "$1" -- "\${COMP_WORDS[@]:1:COMP_CWORD-1}" 2>/dev/null </dev/null)
}
_svcctl() {
  local word path=svcctl words='' position=0 i
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD - 1]}"
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="$path \${COMP_WORDS[i]}"
    case "$word" in
      ${patterns(pathsBelow(places))}) path="$word" position=0 ;;
      ${patterns(flags.flatMap(({ at }) => at))}) i=$((i + 1)) ;;
      *' -'*) ;;
      *) position=$((position + 1)) ;;
    esac
  done
  case "$path $previous" in
${flags.map(({ at, flag }) => `    ${patterns(at)}) ${valuesOf(flag)}; return ;;`).join('\n')}
  esac
  case "$path $position $current" in
    *' -'*) ;;
${places.flatMap(namesCases).join('\n')}
  esac
  if [[ \${#COMPREPLY[@]} -gt 0 ]]; then return; fi
  case "$path" in
${places.map(caseOf).join('\n')}
  esac
  COMPREPLY=(\${COMPREPLY[@]+"\${COMPREPLY[@]}"} $(compgen -W "$words" -- "$current"))
}
complete -o filenames -F _svcctl svcctl
`
}

function caseOf({ path, commands, options, choices, takesFile }: Place): string {
  const words = [...commands.map(({ name }) => name), ...choices]
  const flags = options.map(({ long }) => long)
  const files = takesFile ? ` [[ "$current" == -* ]] || ${FILES};` : ''
  // Options are offered to who begins one, or where there is nothing else.
  const onlyFlags = words.length === 0 && !takesFile
  const all = `words=${quoted([...(onlyFlags ? [] : words), ...flags].join(' '))}`
  if (onlyFlags) return `    ${quoted(path)}) ${all} ;;`
  return `    ${quoted(path)})${files} if [[ "$current" == -* ]]; then ${all}; else words=${quoted(words.join(' '))}; fi ;;`
}

const FILES = 'COMPREPLY=($(compgen -f -- "$current"))'

const namesCases = ({ path, names }: Place): readonly string[] =>
  names.map(({ position, kind }) => `    ${quoted(`${path} ${position} `)}*) _svcctl_names ${kind} ;;`)

function valuesOf({ choices, names, takes }: Flag): string {
  if (names) return `_svcctl_names ${names}`
  if (choices.length > 0) return `COMPREPLY=($(compgen -W ${quoted(choices.join(' '))} -- "$current"))`
  return takes === 'file' ? FILES : ':'
}
