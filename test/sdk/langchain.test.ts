import { sdkSuite, toolSuite } from './support/suite.ts'

const packages = ['@langchain/openai', '@langchain/core']

sdkSuite(packages, async rig => {
  // These import the packages, so only where they are installed.
  const { loadLangChain } = await import('./langchain/sdk.ts')
  const { chatScenarios, toolScenarios } = await import('./langchain/answers.ts')
  const { errorScenarios } = await import('./langchain/errors.ts')
  const { vectorScenarios } = await import('./langchain/vectors.ts')
  const sdk = await loadLangChain(rig)
  chatScenarios(sdk)
  toolScenarios(sdk)
  vectorScenarios(sdk)
  errorScenarios(sdk)
})

toolSuite(packages, async rig => {
  const { loadLangChain } = await import('./langchain/sdk.ts')
  const { hostedToolScenarios } = await import('./langchain/hosted-tools.ts')
  hostedToolScenarios(await loadLangChain(rig), rig)
})
