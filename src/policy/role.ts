/** The roles of operators, each with the permissions of those before it. */
export const ROLES = ['viewer', 'support', 'admin'] as const

/** `viewer` reads, `support` also grants credit and mints and revokes keys, `admin` does everything. */
export type Role = (typeof ROLES)[number]
