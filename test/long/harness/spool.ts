import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Gateway } from './fleet.ts'

const WAITING = ['spool.ndjson', 'spool.telling.ndjson']
const REFUSED = ['spool.refused.ndjson']

/** Whether something waits on the disk of a gateway to be told. */
export const waits = (gateway: Gateway): boolean => filesOf(gateway, WAITING).length > 0

/** Requests whose settlements wait on the disk of a gateway. */
export function spooledIn(gateway: Gateway): string[] {
  return linesIn(gateway, WAITING).flatMap(line => {
    const { settle } = JSON.parse(line) as { settle?: { bill: { requestId: string } } }
    return settle ? [settle.bill.requestId] : []
  })
}

/** Settlements that the store refused, which no outage explains. */
export const refusedIn = (gateway: Gateway): string[] => linesIn(gateway, REFUSED)

const filesOf = ({ stateDir }: Gateway, names: readonly string[]): string[] =>
  [stateDir, ...slotsIn(stateDir)].flatMap(dir => names.map(name => join(dir, 'spool', name))).filter(existsSync)

/** Each worker has a directory of its own. */
function slotsIn(stateDir: string): string[] {
  const workers = join(stateDir, 'workers')
  return existsSync(workers) ? readdirSync(workers).map(slot => join(workers, slot)) : []
}

/** Whole lines; the file may change while it is read, by other lines only. */
const linesIn = (gateway: Gateway, names: readonly string[]): string[] =>
  filesOf(gateway, names).flatMap(file => readFileSync(file, 'utf8').split('\n').slice(0, -1).filter(Boolean))
