import type { Dialect } from '../model/model.ts'
import type { Setup } from '../support/agent.ts'

/** GitHub Copilot's command line with a provider of one's own, by the name of a model to which it gives its freeform tool. */
export const copilot = (dialect: Dialect, wire: Readonly<Record<string, string>>): Setup => ({
  dialect,
  ...(dialect !== 'messages' && { writesWith: 'apply_patch' }),
  env: ({ baseURL, key }) => ({
    COPILOT_PROVIDER_BASE_URL: dialect === 'messages' ? baseURL.replace(/\/v1$/, '') : baseURL,
    COPILOT_PROVIDER_API_KEY: key,
    COPILOT_MODEL: dialect === 'messages' ? 'claude-sonnet-4.5' : 'gpt-4o',
    COPILOT_OFFLINE: 'true',
    ...wire,
  }),
  command: ({ task }) => ['copilot', '-p', task, '--allow-all-tools'],
})
