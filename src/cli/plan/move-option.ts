import { InvalidArgumentError, Option } from 'commander'

/** By the plan that goes, the one its accounts are on from then on. */
export type PlanMoves = ReadonlyMap<string, string>

/** `--move-plan`, any number of times. */
export const moveOption = (): Option =>
  new Option(
    '--move-plan <old=new>',
    'move the accounts on a plan that goes to another one; may be given more than once',
  ).argParser(moveIn)

function moveIn(text: string, before: PlanMoves = new Map()): PlanMoves {
  const [old = '', to = '', ...more] = text.split('=')
  if (old === '' || to === '' || more.length > 0) throw new InvalidArgumentError('Write OLD=NEW, such as free=starter.')
  if (before.has(old)) throw new InvalidArgumentError(`Plan ${old} is moved twice.`)
  return new Map(before).set(old, to)
}
