import { type Flag, type Place, spellings } from './places.ts'

/** A text as one word of bash and zsh. */
export const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** Patterns of a `case`, of which there is at least one. */
export const patterns = (texts: readonly string[]): string => (texts.length > 0 ? texts : [NEVER]).map(quoted).join('|')

/** No command line has it. */
const NEVER = '\u0001'

/** The paths of all commands but the program itself. */
export const pathsBelow = (places: readonly Place[]): readonly string[] => places.slice(1).map(({ path }) => path)

/** `svcctl usage --by`, of every option that takes a value, with the option. */
export const valued = (places: readonly Place[]): readonly { readonly at: readonly string[]; readonly flag: Flag }[] =>
  places.flatMap(({ path, options }) =>
    options
      .filter(({ takes }) => takes !== 'nothing')
      .map(flag => ({ at: spellings(flag).map(word => `${path} ${word}`), flag })),
  )
