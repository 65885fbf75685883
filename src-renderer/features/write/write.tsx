import { Button, Group, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import { PorchlightError } from '../../../src-main/contract/error.ts';
import { hashOf, useRoute } from '../../routes.ts';
import { Foreign } from '../../ui/foreign.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty, ErrorNote, Loading } from '../../ui/states.tsx';
import { commonWords, stateWords } from '../../ui/words.ts';
import { Editor } from './editor.tsx';
import { PageEditor } from './page-editor.tsx';
import { useWriting } from './use-writing.ts';
import { refusalWords, screenWords } from './words.ts';

/** The screen for writing: a new post, or the post or the page of the site in its address. */
export function Write(): ReactElement {
  const { page } = useRoute().filters;
  return page === undefined ? <WritePost /> : <PageEditor name={page} />;
}

function WritePost(): ReactElement {
  const opening = useWriting();
  if (opening !== null && 'session' in opening)
    return <Editor key={opening.session.id} session={opening.session} />;
  return (
    <Page title={screenWords.write}>
      {opening === null ? (
        <Loading what={screenWords.loads} />
      ) : (
        <Refusal error={opening.error} onRetry={opening.retry} />
      )}
    </Page>
  );
}

/** Says why the post can't be edited, and what to do instead. */
function Refusal({ error, onRetry }: { error: Error; onRetry: () => void }): ReactElement {
  const code = error instanceof PorchlightError ? error.code : 'server_error';
  const back = (
    <Button component="a" href={hashOf('posts')} variant="default">
      {refusalWords.back}
    </Button>
  );
  switch (code) {
    case 'not_editable':
      return <Words title={refusalWords.not_editable} about={error.message} step={back} />;
    case 'not_found':
      return <Words title={refusalWords.not_found} about={refusalWords.notFoundAbout} step={back} />;
    case 'gone':
      return (
        <Words
          title={refusalWords.gone}
          about={refusalWords.goneAbout}
          step={
            <Button component="a" href={`${hashOf('posts')}?status=deleted`} variant="default">
              {refusalWords.deleted}
            </Button>
          }
        />
      );
    default:
      return (
        <div>
          <ErrorNote error={error} doing={stateWords.failed(screenWords.loads)} />
          <Group mt="sm">
            <Button variant="default" onClick={onRetry}>
              {commonWords.tryAgain}
            </Button>
            {back}
          </Group>
        </div>
      );
  }
}

function Words({ title, about, step }: { title: string; about: string; step: ReactElement }): ReactElement {
  return (
    <div role="alert">
      <Empty step={step}>
        <Text component="span" fw={600} display="block">
          {title}
        </Text>
        <Foreign text={about} />
      </Empty>
    </div>
  );
}
