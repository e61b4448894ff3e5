import type { Setup } from '../support/agent.ts'

/** Codex, which asks by Responses only. */
export const codex: Setup = {
  dialect: 'responses',
  files: ({ baseURL, model }) => ({
    '.codex/config.toml': `
model = "${model}"
model_provider = "gateway"
check_for_update_on_startup = false

[analytics]
enabled = false

[model_providers.gateway]
name = "gateway"
base_url = "${baseURL}"
env_key = "GATEWAY_KEY"
wire_api = "responses"
`,
  }),
  env: ({ key }) => ({ GATEWAY_KEY: key }),
  command: ({ task }) => ['codex', 'exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', task],
}
