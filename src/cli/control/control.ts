import type { ShownKey } from '../../wire/key.ts'

/** What operators may do, through a running gateway or on its store. Rejects with CommandFailed. */
export interface Control {
  mint(label: string, plan: string): Promise<MintedByOperator>
  list(): Promise<readonly ShownKey[]>
  /** By full or masked value. */
  revoke(named: string): Promise<ShownKey>
  close(): Promise<void>
}

export interface MintedByOperator {
  readonly key: ShownKey
  /** The full key, only where one was made. */
  readonly value?: string
  /** What clients set as base URL. */
  readonly baseUrl: string
}
