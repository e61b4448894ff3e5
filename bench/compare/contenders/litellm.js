import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { peer } from './peer.js'

const MASTER_KEY = 'sk-bench-7c1d0a52f3b94e68'

const configuration = backend => `model_list:
  - model_name: svc-core
    litellm_params: { model: openai/bench-model, api_base: "http://127.0.0.1:${backend}/v1", api_key: none }
litellm_settings: { telemetry: false, num_retries: 0 }
general_settings: { master_key: ${MASTER_KEY}, disable_spend_logs: true }
`

/** LiteLLM's proxy at its cheapest: one worker and a master key, without the PostgreSQL that its virtual keys and budgets need. */
export const litellm = peer({
  name: 'LiteLLM 1.108.0, one worker',
  program: fileURLToPath(new URL('../../../test/engines/.venv/bin/litellm', import.meta.url)),
  install: 'sh test/engines/install.sh',
  headers: { authorization: `Bearer ${MASTER_KEY}` },
  command({ port, backend, directory }) {
    const file = join(directory, 'config.yaml')
    writeFileSync(file, configuration(backend))
    return {
      words: [
        '--config',
        file,
        '--host',
        '127.0.0.1',
        '--port',
        String(port),
        '--num_workers',
        '1',
        '--telemetry',
        'False',
      ],
      // Without the log of each request, and without fetching its price list.
      env: { LITELLM_LOG: 'ERROR', LITELLM_MODE: 'PRODUCTION', LITELLM_LOCAL_MODEL_COST_MAP: 'True' },
    }
  },
})
