import type { Loaded } from '../../config/settings.ts'
import { LABEL, mintKey, revokeKey } from '../../gateway/accounts.ts'
import { accountNamed, usageBy } from '../../gateway/usage.ts'
import type { EpochMs } from '../../policy/config.ts'
import { dayOf } from '../../policy/standing.ts'
import { shownKey } from '../../wire/key.ts'
import { ledgerRecord, usageReport } from '../../wire/report.ts'
import { readSince, SINCE_FORMS } from '../../wire/since.ts'
import { alarmLine } from '../log-line.ts'
import { openStore } from '../store.ts'
import { CommandFailed, exitCodes } from '../talk.ts'
import { world } from '../world.ts'
import type { Control } from './control.ts'

/** Control on the store itself, for when no gateway runs on it. */
export async function localControl({ config, settings }: Loaded): Promise<Control> {
  const { brand } = settings
  const store = await openStore(
    settings,
    world,
    (message, details) => console.error(alarmLine(message, details)),
    'tool',
  )
  return {
    mint: async (label, plan) => {
      if (!config.plans.has(plan)) {
        throw new CommandFailed(`✗ plan: no such plan \`${plan}\`; there are ${[...config.plans.keys()].join(', ')}`)
      }
      if (!new RegExp(LABEL, 'u').test(label)) throw new CommandFailed('✗ account: must be one line of text')
      const { key, value } = await mintKey(store, world.random, { brand, label, plan })
      return { key: shownKey(key), ...(value !== undefined && { value }), baseUrl: `${settings.server.publicUrl}/v1` }
    },
    list: async () => (await store.listKeys()).map(shownKey),
    revoke: async named => {
      const revoked = await revokeKey(store, brand, named)
      if (revoked === 'unknown') throw new CommandFailed('✗ No active key has this value.')
      if (revoked === 'ambiguous')
        throw new CommandFailed('✗ key: several active keys have this mask; give the full value')
      return shownKey(revoked)
    },
    usage: async ({ since, by }) => {
      const day = dayOf(Math.floor(momentOf(since) / 1000))
      return usageReport(by, day, await usageBy(store, { since: day, by }))
    },
    ledger: async function* ({ since, account: named }) {
      const account = named === undefined ? undefined : await accountNamed(store, named)
      if (named !== undefined && account === undefined)
        throw new CommandFailed(`✗ account: there is no account \`${named}\``)
      const rows = store.readLedger({ since: momentOf(since), ...(account !== undefined && { account }) })
      for await (const row of rows) yield ledgerRecord(row)
    },
    close: () => store.close(),
  }
}

function momentOf(since: string): EpochMs {
  const at = readSince(since, world.clock.now())
  if (at === undefined) throw new CommandFailed(`✗ since: must be ${SINCE_FORMS}`, exitCodes.usage)
  return at
}
