import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { removeFolder } from '../lanes/remove-folder.ts'
import { answer, startBackend } from '../support/backend.ts'
import { startTestGateway, type TestGateway } from '../support/gateway.ts'
import type { OidcOptions, OidcServer } from '../support/identity/oidc.ts'
import { letSignIn } from '../support/identity/signed-in.ts'
import { openTurns, type Turns } from './in-turn.ts'
import { compileProgram, type Program } from './program.ts'

/** svcctl, and a gateway in front of a backend that answers `OK`, where people sign in. */
export interface SignInSite {
  readonly program: Program
  readonly turns: Turns
  readonly test: TestGateway
  readonly oidc: OidcServer
  /** A new folder, which goes with the site. */
  readonly newHome: () => string
}

/** Starts a site before the tests of a file, and ends it after them. */
export function openSignInSite(users: NonNullable<OidcOptions['users']>, begin: (site: SignInSite) => void): void {
  let end = async () => {}
  beforeAll(async () => {
    const homes: string[] = []
    const program = compileProgram()
    const turns = openTurns(program)
    const backend = await startBackend()
    backend.always(answer({ content: 'OK' }))
    const test = await startTestGateway({ onprem: [backend], now: true })
    const oidc = await letSignIn(test, users)
    end = async () => {
      await turns.end()
      await program.end()
      await test.close()
      await oidc.stop()
      await backend.close()
      for (const home of homes) await removeFolder(home)
    }
    const newHome = () => {
      const home = mkdtempSync(join(tmpdir(), 'home-'))
      homes.push(home)
      return home
    }
    begin({ program, turns, test, oidc, newHome })
  }, 60_000)
  afterAll(() => end())
}
