import type { OwnKey } from '../../../../src/wire/key.ts'
import { ask } from '../../shared/api.ts'
import { useResource } from '../../shared/resource.ts'
import { lookedWith } from '../look-with-key.tsx'
import * as text from '../texts/requests.tsx'

/** The name of a key by its id; null is a sign-in. A key that is not listed has its id. */
export type KeyNames = (id: string | null) => string

/** The names of the account's keys, else their masks. With a key they cannot be asked for. */
export function useKeyNames(): KeyNames {
  const keys = useResource<{ readonly data: readonly OwnKey[] }>(() =>
    lookedWith.value === undefined ? ask('/v1/keys/developer') : Promise.resolve({ data: [] }),
  )
  const names = new Map(keys.data?.data.map(({ id, name, key }) => [id, name ?? key]))
  return id => (id === null ? text.signIn : (names.get(id) ?? id))
}
