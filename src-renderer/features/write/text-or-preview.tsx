import { Tabs } from '@mantine/core';
import { useState, type ReactElement, type ReactNode } from 'react';
import { Preview } from './preview.tsx';
import type { Writing } from './writing.ts';
import { screenWords } from './words.ts';

/** The form and the preview as two tabs, for a window without room for both. */
export function TextOrPreview({ fields, writing }: { fields: ReactNode; writing: Writing }): ReactElement {
  const [tab, setTab] = useState<string | null>('text');
  return (
    <Tabs value={tab} onChange={setTab} keepMounted>
      <Tabs.List aria-label={screenWords.views}>
        <Tabs.Tab value="text">{screenWords.textTab}</Tabs.Tab>
        <Tabs.Tab value="preview">{screenWords.previewTab}</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="text" pt="md">
        {fields}
      </Tabs.Panel>
      <Tabs.Panel value="preview" pt="md">
        {tab === 'preview' && <Preview form={writing.form} url={writing.post?.url} />}
      </Tabs.Panel>
    </Tabs>
  );
}
