import { CommandFailed, exitCodes } from '../../server/failure.ts'
import type { ShownAccount } from '../../wire/admin/account.ts'
import type { ShownOrg } from '../../wire/admin/org.ts'
import type { Common } from '../kit/options.ts'
import { writeJson } from '../kit/terminal.ts'

/** Prints the account as it is now for scripts, or a sentence for people, on stderr. */
export async function tell(account: ShownAccount | ShownOrg, sentence: string, { json }: Common): Promise<void> {
  if (json) return writeJson(account)
  console.error(`✓ ${sentence}`)
}

/** How commands take an account, in their help. */
export const NAMED = 'its id or label, or its key'
export const NAMED_OR_ORG = `${NAMED}; or an org, such as org:acme`

export const wrong = (message: string): CommandFailed => new CommandFailed(`✗ ${message}`, exitCodes.usage)
