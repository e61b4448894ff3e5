import type { ScanOrder } from '../../gateway/store/account-store.ts'
import { CallerCache } from '../../gateway/store/caller-cache.ts'
import type { Admission, Admitted } from '../../gateway/store/hold-store.ts'
import type { KeyCaller } from '../../gateway/store/key-store.ts'
import type { Store } from '../../gateway/store/store.ts'
import type { Facets } from './calls.ts'
import { METHODS } from './protocol.ts'
import { type LinkOptions, StoreLink } from './store-link.ts'

/** The store that another process of this machine has, as server.ts serves it. Rejects with StoreUnavailable where there is none. */
export async function openRemoteStore(options: LinkOptions): Promise<Store> {
  const { link, said } = await StoreLink.open(options)
  const { keys, accounts, holds, whole, ...facets } = facetsOn(link)
  const callers = new CallerCache(() => performance.now())
  return {
    ...facets,
    accounts: { ...accounts, scanOrders: said.scanOrders as readonly ScanOrder[] },
    keys: {
      ...keys,
      findCaller: async hash => {
        const found: KeyCaller | undefined = await keys.findCaller(hash)
        callers.keep(hash, found)
        return found
      },
      recallCaller: hash => callers.recall(hash),
    },
    holds: {
      ...holds,
      admit: async (admission: Admission) => {
        const admitted = (await link.ask(ADMIT, [admission], answer => {
          // The client was answered that the store is down, so that this hold would never be settled.
          if (isGranted(answer as Admitted)) holds.refund((answer as Granted).hold).catch(() => {})
        })) as Admitted
        callers.admitted(admission.keyHash, admitted)
        return admitted
      },
    },
    proveWritable: () => whole.proveWritable(),
    dump: () => whole.dump(),
    close: () => link.close(),
  }
}

type Granted = Extract<Admitted, { readonly outcome: 'admitted' }>

const isGranted = (admitted: Admitted): admitted is Granted => 'outcome' in admitted && admitted.outcome === 'admitted'

/** The calls of the table, as functions. */
function facetsOn(link: StoreLink): Facets {
  const facets: Record<string, Record<string, unknown>> = {}
  METHODS.forEach(({ facet, name, comes }, number) => {
    const methods = facets[facet] ?? {}
    facets[facet] = methods
    methods[name] =
      comes === 'pages'
        ? (...args: readonly unknown[]) => link.stream(number, args)
        : (...args: readonly unknown[]) => link.ask(number, args)
  })
  // The table has every method of every facet, or it would not compile.
  return facets as unknown as Facets
}

const ADMIT = METHODS.findIndex(({ facet, name }) => facet === 'holds' && name === 'admit')
