import { clientSuite, PYTHON } from './support/installed.ts'
import { taskScenarios } from './support/tasks.ts'

const FORMS = { chat: 'chat', runner: 'chat', responses: 'responses' } as const

const node = (name: string) => [process.execPath, 'test/agents/clients/node/openai.mjs', name] as const

clientSuite({ registry: 'npm', name: 'openai' }, () => taskScenarios(node('openai'), FORMS))

clientSuite({ registry: 'npm', name: 'openai-7' }, () => taskScenarios(node('openai-7'), FORMS))

clientSuite({ registry: 'pypi', name: 'openai' }, () =>
  taskScenarios([PYTHON, 'test/agents/clients/python/openai_sdk.py'], { chat: 'chat', responses: 'responses' }),
)
