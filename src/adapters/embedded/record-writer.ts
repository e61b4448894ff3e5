import type { Database } from 'lmdb'
import { stepOfAccount, stepOfKey, stepOfOrg } from '../../gateway/restrictions.ts'
import type { SchemaStep } from '../../records/terms.ts'
import type { StoredAccount, StoredKey, StoredOrg } from './stored-records.ts'

/** The schema of the first release, and of a store in which nothing restricts a key or an account. */
export const FIRST_SCHEMA = 4

interface Files {
  readonly keys: Database<StoredKey, string>
  readonly accounts: Database<StoredAccount, string>
  readonly orgs: Database<StoredOrg, string>
  readonly meta: Pick<Database<number, 'schema'>, 'get' | 'put'>
}

/**
 * The one way to write keys, accounts and orgs: in the transaction that writes a restriction the schema rises to one that builds
 * without it refuse. Only within a transaction.
 */
export class RecordWriter {
  readonly #files: Files

  constructor(files: Files) {
    this.#files = files
  }

  /** Writes a key under its hash. */
  key(hash: string, key: StoredKey): void {
    this.raise(stepOfKey(key))
    this.#files.keys.put(hash, key)
  }

  account(id: string, account: StoredAccount): void {
    this.raise(stepOfAccount(account))
    this.#files.accounts.put(id, account)
  }

  /** Writes an org under its name. */
  org(name: string, org: StoredOrg): void {
    this.raise(stepOfOrg(org))
    this.#files.orgs.put(name, org)
  }

  /** The schema never falls: what restricted an account may be in a row of the audit, or in a backup. */
  raise(step: SchemaStep): void {
    const { meta } = this.#files
    const present = meta.get('schema') ?? 0
    const schema = FIRST_SCHEMA + step
    if (step === 0 || schema <= schemaIn(present)) return
    meta.put('schema', isOpenIn(present) ? openSchema(schema) : schema)
  }
}

// While a journal may have what the files do not have, their schema is one that every build without a journal refuses.

/** Added to the schema from the start of a journal to the stop that leaves nothing in it. */
const OPEN = 1000

/** The schema that the records need. */
export const schemaIn = (stored: number): number => stored % OPEN
/** Whether the journal may have records that the files do not have. */
export const isOpenIn = (stored: number): boolean => stored >= OPEN
export const openSchema = (schema: number): number => schemaIn(schema) + OPEN
