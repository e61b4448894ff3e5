import { isStore } from '../../config/model/store-address.ts'
import { storeOf } from '../../config/resolve/resolve.ts'
import type { Settings } from '../../config/settings.ts'
import type { Audited } from '../../gateway/accounts/audited.ts'
import { MoveFailed } from '../../gateway/moving/move.ts'
import { StoreUnavailable } from '../../gateway/store/store.ts'
import type { OperatorApp } from '../../http/admin/operator-app.ts'
import type { Mutable } from '../../policy/decision.ts'
import type { Member } from '../../wire/admin/fleet.ts'
import { storeFailure, storeText } from '../failure.ts'
import type { OpenState } from './open-state.ts'

interface MoveStorePorts {
  /** As the files say at this moment. */
  readonly serving: () => Settings
  /** What the gateway is called in the fleet. */
  readonly self: () => string
  /** The gateways on the store. */
  readonly members: () => Promise<readonly Member[]>
  readonly audited: Audited
  /** The store was moved. */
  readonly moved: () => void
}

/** How an operator has the store moved; nothing where the gateway has several processes. */
export function moveStoreOf(moveStore: OpenState['moveStore'], ports: MoveStorePorts): Pick<OperatorApp, 'moveStore'> {
  if (!moveStore) return {}
  const { serving, self, members, audited, moved } = ports
  return {
    moveStore: async ({ by, secrets, ...asked }) => {
      if (!isStore(asked.to)) throw new MoveFailed('the other store is no store: write embedded:PATH or redis://…')
      const to = storeOf(asked.to, secrets as Parameters<typeof storeOf>[1], process.cwd())
      const others = (await members()).filter(({ id }) => id !== self())
      const names = others.map(({ name }) => name).join(', ')
      if (names !== '') throw new MoveFailed(`other gateways use the store (${names}): stop them first`)
      const before = storeText(serving().store)
      const done = await moveStore({ ...asked, to, self: self() }).catch(error => {
        // Either store may be the one that does not answer, and its error says which.
        if (error instanceof StoreUnavailable)
          throw new MoveFailed(`one of both stores cannot be reached: ${error.message}`)
        const failure = storeFailure(error, to)
        throw failure ? new MoveFailed(failure.message.replace(/^✗ /, '')) : error
      })
      // What is in force is shown, and compared with the files of a reload, which are to name the new one.
      const settings: Mutable<Settings> = serving()
      settings.store = to
      moved()
      await audited({ by, action: 'migrate', before, after: storeText(to) })
      return done
    },
  }
}
