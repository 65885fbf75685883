import { Switch } from '@mantine/core';
import type { ReactElement } from 'react';
import type { App } from '../../../src-main/contract/sign-ins.ts';
import { useAction, useAnswer } from '../../client/queries.ts';
import { ErrorNote } from '../../ui/states.tsx';
import { nameOf } from './names.ts';
import { markdownWords } from './words.ts';

/**
 * Sets whether Porchlight converts the plain text that an app sends as Markdown. All sign-ins of an app share it; each
 * token that the owner created has its own.
 */
export function MarkdownSwitch({ app }: { app: App }): ReactElement | null {
  const apps = useAnswer('settings.get', {}).data?.posting.appsMarkdown;
  const save = useAction('settings.update');
  if (apps === undefined) return null;
  const own = app.kind === 'manual' ? app.id : app.clientId;
  const isOn = apps.includes(own);
  const others = apps.filter((id) => id !== own);
  return (
    <>
      <Switch
        mt="xs"
        size="sm"
        checked={isOn}
        disabled={save.isPending}
        label={markdownWords.label[app.kind]}
        aria-label={markdownWords.labelOf(nameOf(app))}
        description={markdownWords.about}
        onChange={() => save.mutate({ posting: { appsMarkdown: isOn ? others : [...apps, own] } })}
      />
      <ErrorNote error={save.error} doing={markdownWords.failed} />
    </>
  );
}
