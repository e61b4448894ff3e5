import { agentToken } from '../../operator/agent-token.ts'
import { world } from '../../server/world.ts'
import { writeOut } from '../kit/terminal.ts'
import type { Named } from '../login/login.ts'
import { gatewayOf } from '../login/target.ts'

/** Prints a token, and nothing else, on stdout: agents read it from there. */
export async function printToken({
  expiresIn: life,
  new: isNew = false,
  ...named
}: Named & { readonly expiresIn: number; readonly new?: boolean }): Promise<void> {
  const { token } = await agentToken({ gateway: await gatewayOf(named), life, isNew }, world.clock.now)
  await writeOut([`${token}\n`])
}
