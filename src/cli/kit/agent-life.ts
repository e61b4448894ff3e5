import { InvalidArgumentError, Option } from 'commander'
import { readSpan } from '../../gateway/accounts/key-wish.ts'
import type { Millis } from '../../policy/config.ts'

const LONGEST: Millis = 3_600_000

export const LIFE_HINT = 'such as 15m, of at most 1h'

/** The option `--expires-in` of commands that get an agent token. */
export const lifeOption = (description: string): Option =>
  new Option('--expires-in <time>', description).argParser(readLife).default(LONGEST, '1h')

function readLife(written: string): Millis {
  const life = readSpan(written)
  if (life === undefined || life > LONGEST) throw new InvalidArgumentError(`write a time ${LIFE_HINT}.`)
  return life
}
