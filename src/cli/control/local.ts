import { openEmbeddedStore } from '../../adapters/embedded/store.ts'
import type { Loaded } from '../../config/settings.ts'
import { LABEL, mintKey, revokeKey } from '../../gateway/accounts.ts'
import { shownKey } from '../../wire/key.ts'
import { CommandFailed } from '../talk.ts'
import { world } from '../world.ts'
import type { Control } from './control.ts'

/** Control on the store itself, for when no gateway runs on it. */
export async function localControl({ config, settings }: Loaded): Promise<Control> {
  const { brand } = settings
  const store = await openEmbeddedStore({ path: settings.store.path, now: world.clock.now })
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
    close: () => store.close(),
  }
}
