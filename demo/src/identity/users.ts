/** Claims of access tokens. */
export type Claims = Readonly<Record<string, string>>

/** The users of the demo, by the subject of their tokens: one whose plan the provider names, one whose plan it does not. */
export const USERS: Readonly<Record<string, Claims>> = {
  ada: { name: 'Ada', email: 'ada@example.com', plan: 'pro' },
  bob: { name: 'Bob', email: 'bob@example.com' },
}
