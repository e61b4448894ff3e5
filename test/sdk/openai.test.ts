import { audioSuite, keepingSuite, realtimeSuite, sdkSuite, toolSuite, writtenSuite } from './support/suite.ts'

/** Three majors of one SDK are held to the same scenarios. */
for (const name of ['openai-4', 'openai-5', 'openai']) {
  sdkSuite([name], async rig => {
    // These import packages, so only where they are installed.
    const { loadSdk } = await import('./openai/sdk.ts')
    const { chatScenarios } = await import('./openai/chat.ts')
    const { errorScenarios } = await import('./openai/errors.ts')
    const { streamScenarios } = await import('./openai/streams.ts')
    const { structureScenarios, toolScenarios } = await import('./openai/tools.ts')
    const { embeddingScenarios, imageScenarios } = await import('./openai/vectors.ts')
    const sdk = await loadSdk(name, rig)
    chatScenarios(sdk)
    streamScenarios(sdk)
    toolScenarios(sdk)
    structureScenarios(sdk)
    embeddingScenarios(sdk)
    imageScenarios(sdk)
    errorScenarios(sdk)
  })
  toolSuite([name], async rig => {
    const { loadSdk } = await import('./openai/sdk.ts')
    const { hostedToolScenarios } = await import('./openai/hosted-tools.ts')
    hostedToolScenarios(await loadSdk(name, rig), rig)
  })
  audioSuite([name], async rig => {
    const { audioScenarios } = await import('./openai/audio.ts')
    await audioScenarios(name, rig)
  })
  keepingSuite([name], async rig => {
    const { loadSdk } = await import('./openai/sdk.ts')
    const { keptResponseScenarios } = await import('./openai/kept-responses.ts')
    keptResponseScenarios(await loadSdk(name, rig), rig)
  })
  writtenSuite([name], async () => {
    const { writtenResponseScenarios } = await import('./openai/written-responses.ts')
    await writtenResponseScenarios(name)
  })
}

// Older majors speak the beta of Realtime, with other names of events.
realtimeSuite(['openai'], async () => {
  const { realtimeScenarios } = await import('./openai/realtime.ts')
  await realtimeScenarios()
})
