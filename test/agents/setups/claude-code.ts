import type { Setup } from '../support/agent.ts'
import { installedFile } from '../support/installed.ts'

/** Claude Code with its key in one of two headers. */
export const claudeCode = (
  credential: 'ANTHROPIC_API_KEY' | 'ANTHROPIC_AUTH_TOKEN',
  name: string = CLAUDE_CODE,
): Setup => ({
  dialect: 'messages',
  env: ({ baseURL, key, model }) => ({
    ANTHROPIC_BASE_URL: baseURL.replace(/\/v1$/, ''),
    [credential]: key,
    ANTHROPIC_MODEL: model,
    ANTHROPIC_SMALL_FAST_MODEL: model,
    DISABLE_AUTOUPDATER: '1',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    // As root it runs without asking only where it is told that it is shut in.
    IS_SANDBOX: '1',
  }),
  // Not by a name of .bin, which both versions have.
  command: ({ task }) => [installedFile(`${name}/bin/claude.exe`), '-p', task, '--dangerously-skip-permissions'],
})

export const CLAUDE_CODE = '@anthropic-ai/claude-code'
/** A later version. */
export const LATER_CLAUDE_CODE = 'claude-code-2.1.330'
