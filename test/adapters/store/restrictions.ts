import { describe, expect, it, onTestFinished } from 'vitest'
import { ACCOUNT_STEPS, KEY_STEPS, ORG_STEPS, TERMS_STEPS } from '../../../src/gateway/restrictions.ts'
import type { StoreRecord } from '../../../src/gateway/store/record.ts'
import type { Store } from '../../../src/gateway/store/store.ts'
import { FURTHER_WRITES, RESTRICTING_WRITES, writeUnrestricted } from './restricting-writes.ts'

/** A store whose schema can be seen. */
export interface SchemaSubject {
  readonly store: Store
  /** The number that older builds compare with their own. */
  schema(): Promise<number>
  /** Fills a new store of the same kind, and resolves to its schema. */
  restored(records: AsyncIterable<StoreRecord>): Promise<number>
  destroy(): Promise<void>
}

const TABLES = { key: KEY_STEPS, account: ACCOUNT_STEPS, org: ORG_STEPS } as const

/** A restriction raises the schema by which older builds refuse the store; `first` is that of a store without any. */
export function restrictionsContract(open: () => Promise<SchemaSubject>, first: number, raised: number): void {
  const start = async () => {
    const subject = await open()
    onTestFinished(() => subject.destroy())
    return subject
  }

  it('what every build enforces leaves the schema as it is, also in a restored store', async () => {
    const { store, schema, restored } = await start()

    await writeUnrestricted(store)

    expect(await schema()).toBe(first)
    expect(await restored(store.dump())).toBe(first)
  })

  describe('the schema rises', () => {
    const tables = { key: KEY_STEPS, account: ACCOUNT_STEPS, terms: TERMS_STEPS }
    const cases = (['key', 'account', 'terms'] as const).flatMap(table =>
      Object.entries(tables[table])
        .filter(([, step]) => step > 0)
        .map(([member]) => [`${table}.${member}`, RESTRICTING_WRITES[table][member]] as const),
    )

    it.each([...cases, ...Object.entries(FURTHER_WRITES)])(
      'with %s, also in a restored store',
      async (_name, write) => {
        const { store, schema, restored } = await start()
        await writeUnrestricted(store)

        if (!write) throw new Error('this restriction is written by no test: add it to restricting-writes.ts')
        await write(store)

        expect(await schema()).toBe(raised)
        expect(await restored(store.dump())).toBe(raised)
      },
    )
  })

  it('every stored member of keys, accounts and orgs has a step', async () => {
    const { store } = await start()
    await writeUnrestricted(store)
    const { key, account, terms } = RESTRICTING_WRITES
    for (const write of Object.values({ ...key, ...account, ...terms, ...FURTHER_WRITES })) await write(store)

    const unknown = new Set<string>()
    const look = (kind: string, record: object, steps: object) => {
      for (const member of Object.keys(record)) if (!(member in steps)) unknown.add(`${kind}.${member}`)
    }
    for await (const [kind, record] of store.dump()) {
      if (kind !== 'key' && kind !== 'account' && kind !== 'org') continue
      look(kind, record, TABLES[kind])
      if ('terms' in record) look('terms', record.terms, TERMS_STEPS)
    }

    expect([...unknown]).toEqual([])
  })
}
