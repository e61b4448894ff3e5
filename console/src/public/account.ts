import type { OwnAccount } from '../../../src/wire/account/own-account.ts'
import { ask } from '../shared/api.ts'
import { follow } from '../shared/resource.ts'

const followed = follow<OwnAccount>(() => ask('/v1/account'), 5000)

/** The account that is signed in, as it was a moment ago. Every page has it. */
export const account = followed.shown

/** Asks for it now. */
export const refreshAccount = followed.run

/** Asks for it again and again, until the function that this returns is called. */
export const followAccount = followed.start
