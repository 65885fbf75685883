import { Tabs } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useId, useState, type ReactElement, type ReactNode } from 'react';
import { DraftPreview } from './preview.tsx';
import type { Writing } from './writing.ts';
import { screenWords } from './words.ts';
import styles from './write.module.css';

/**
 * The form and the preview, side by side or, in a window without room for both, as two tabs. The form stays the same
 * element when the window's width changes, so that the owner can type on.
 */
export function TextAndPreview({ fields, writing }: { fields: ReactNode; writing: Writing }): ReactElement {
  const isWide = useMediaQuery('(min-width: 1280px)', false, { getInitialValueInEffect: false });
  const [tab, setTab] = useState<string | null>('text');
  const id = useId();
  // The panels of Mantine would have to be inside Tabs.
  const panel = (name: string) =>
    isWide ? {} : { role: 'tabpanel', id: `${id}-panel-${name}`, 'aria-labelledby': `${id}-tab-${name}` };
  return (
    <div className={isWide ? styles.sideBySide : undefined}>
      {!isWide && (
        <Tabs id={id} value={tab} onChange={setTab} mb="md">
          <Tabs.List aria-label={screenWords.views}>
            <Tabs.Tab value="text">{screenWords.textTab}</Tabs.Tab>
            <Tabs.Tab value="preview">{screenWords.previewTab}</Tabs.Tab>
          </Tabs.List>
        </Tabs>
      )}
      <div {...panel('text')} hidden={!isWide && tab !== 'text'}>
        {fields}
      </div>
      {(isWide || tab === 'preview') && (
        <div {...panel('preview')} className={styles.previewPlace}>
          <DraftPreview form={writing.form} url={writing.post?.url} />
        </div>
      )}
    </div>
  );
}
