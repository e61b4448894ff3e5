import { type Flag, type Place, pathsBelow, spellings, valued } from './places.ts'

/** For fish 3. */
export function fish(places: readonly Place[]): string {
  return `# fish completion of svcctl. Made by: svcctl completion fish
function __svcctl_names
    set -l words (commandline -opc)
    $words[1] names $argv[1] -- $words[2..-1] 2>/dev/null </dev/null
end
function __svcctl_at
    set -l at svcctl
    set -l position 0
    set -l skip 0
    for word in (commandline -opc)[2..-1]
        if test $skip -eq 1
            set skip 0
            continue
        end
        switch "$at $word"
            case ${pathsBelow(places).map(quoted).join(' ')}
                set at "$at $word"
                set position 0
            case ${valued(places)
              .flatMap(({ at }) => at)
              .map(quoted)
              .join(' ')}
                set skip 1
            case '* -*'
            case '*'
                set position (math $position + 1)
        end
    end
    test "$at" = "$argv[1]"; and test (count $argv) -eq 1 -o "$position" = "$argv[2]"
end
complete -c svcctl -f
${places.flatMap(linesOf).join('\n')}
`
}

function linesOf({ path, commands, options, choices, takesFile, names }: Place): readonly string[] {
  const begin = `complete -c svcctl -n ${quoted(`__svcctl_at ${quoted(path)}`)}`
  return [
    ...commands.map(({ name, description }) => `${begin} -a ${quoted(name)} -d ${quoted(description)}`),
    ...(choices.length > 0 ? [`${begin} -a ${quoted(choices.join(' '))}`] : []),
    ...(takesFile ? [`${begin} -F`] : []),
    ...names.map(({ position, kind }) => {
      const here = `__svcctl_at ${quoted(path)} ${position}`
      return `complete -c svcctl -n ${quoted(here)} -a ${quoted(`(__svcctl_names ${kind})`)}`
    }),
    ...options.map(option => `${begin} ${flagText(option)}`),
  ]
}

function flagText(flag: Flag): string {
  const { takes, choices, description, names: kind } = flag
  const names = spellings(flag).map(word => (word.startsWith('--') ? `-l ${word.slice(2)}` : `-s ${word.slice(1)}`))
  const value = kind
    ? ['-x', `-a ${quoted(`(__svcctl_names ${kind})`)}`]
    : choices.length > 0
      ? [`-x -a ${quoted(choices.join(' '))}`]
      : { nothing: [], file: ['-r -F'], value: ['-x'] }[takes]
  return [...names, ...value, `-d ${quoted(description)}`].join(' ')
}

/** A text as one word of fish. */
const quoted = (text: string): string => `'${text.replace(/[\\']/g, '\\$&')}'`
