import { useId, useState } from 'preact/hooks'
import { askOpen } from '../../shared/api.ts'
import { useResource } from '../../shared/resource.ts'
import { Header, Loaded } from '../../shared/states.tsx'
import { Tabs } from '../../shared/tabs.tsx'
import { account } from '../account.ts'
import type { CatalogModel } from '../catalog.ts'
import { PlanProblem } from '../plan-problem.tsx'
import * as frameText from '../texts/frame.tsx'
import * as text from '../texts/try.tsx'
import { Chat } from './chat.tsx'
import { Images } from './images.tsx'

/** A place to try models in, as any client of the account would. */
export function Try() {
  const models = useResource<{ readonly data: readonly CatalogModel[] }>(() => askOpen('/v1/models'))
  return (
    <>
      <Header title={frameText.titles.try}>{text.about}</Header>
      {account.value.data && <PlanProblem account={account.value.data} />}
      <Loaded of={models}>{({ data }) => <Ways models={data} />}</Loaded>
    </>
  )
}

function Ways({ models }: { readonly models: readonly CatalogModel[] }) {
  const [way, choose] = useState<string>(text.chat)
  const panel = useId()
  const images = models.filter(({ kind }) => kind === 'image')
  if (images.length === 0) return <Chat models={models} />
  return (
    <div>
      <Tabs label={text.ways} names={[text.chat, text.images]} chosen={way} panel={panel} onChoose={choose} />
      <div role="tabpanel" id={panel} aria-label={way} class="ways">
        {way === text.chat ? <Chat models={models} /> : <Images models={images} />}
      </div>
    </div>
  )
}
