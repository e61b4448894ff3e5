import { InvalidArgumentError, Option } from 'commander'
import { world } from '../server/world.ts'
import { readSince, SINCE_FORMS } from '../wire/admin/since.ts'

/** `--since`, 30 days unless told otherwise. */
export const sinceOption = (what: string): Option =>
  new Option('--since <when>', `${what}: ${SINCE_FORMS}`).default('30d').argParser(checkedSince)

/** The text as it is: what it means is for the clock of the gateway to say. */
function checkedSince(text: string): string {
  if (readSince(text, world.clock.now()) === undefined) throw new InvalidArgumentError(`Write ${SINCE_FORMS}.`)
  return text
}
