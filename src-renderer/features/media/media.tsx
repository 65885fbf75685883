import { Button, type ButtonProps, FileButton, Group, SegmentedControl } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconPlus } from '../../ui/icons.ts';
import { useEffect, useRef, useState, type ReactElement } from 'react';
import type { MediaItem, MediaKind } from '../../../src-main/contract/media.ts';
import { setFilters, useRoute } from '../../routes.ts';
import { Page } from '../../ui/page.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { DeleteFile } from './delete-file.tsx';
import { Details } from './details.tsx';
import { FileList } from './file-list.tsx';
import styles from './media.module.css';
import { useFileDrop } from '../../ui/use-file-drop.ts';
import { UploadNotes, useUploads } from './uploads.tsx';
import { pageWords } from './words.ts';

const filters: { value: MediaKind | 'all'; label: string }[] = [
  { value: 'all', label: pageWords.filters.all },
  { value: 'image', label: pageWords.filters.image },
  { value: 'video', label: pageWords.filters.video },
  { value: 'audio', label: pageWords.filters.audio },
  { value: 'document', label: pageWords.filters.document },
];

/** The files of the owner's posts, to search, add and delete. */
export function Media(): ReactElement {
  const [kind, setKind] = useState<MediaKind | 'all'>('all');
  const [typed, setTyped] = useState('');
  const [query] = useDebouncedValue(typed.trim(), 200);
  const { id: opened } = useRoute();
  const [chosen, setChosen] = useState<MediaItem | null>(null);
  const [deleting, setDeleting] = useState<MediaItem | null>(null);
  const open = (item: MediaItem) => {
    setChosen(item);
    setFilters('media', { id: item.url });
  };
  const close = () => setFilters('media', {});
  const files = useRef<HTMLDivElement>(null);
  const [deleted, setDeleted] = useState(0);
  useEffect(() => {
    // The tile that had the focus was deleted, so the file that takes its place gets the focus.
    if (deleted > 0) files.current?.querySelector<HTMLElement>('button[tabindex="0"]')?.focus();
  }, [deleted]);
  const uploads = useUploads();
  const held = useFileDrop(uploads.add);
  const addFiles = (look: Pick<ButtonProps, 'color' | 'variant'>) => (
    <FileButton multiple onChange={uploads.add}>
      {(props) => (
        <Button {...props} {...look} leftSection={<IconPlus size={16} aria-hidden="true" />}>
          {pageWords.add}
        </Button>
      )}
    </FileButton>
  );

  return (
    <Page title={pageWords.title} about={pageWords.about} actions={addFiles({ color: 'amber.5' })}>
      <div>
        <Group gap="sm">
          <SearchField label={pageWords.search} value={typed} onChange={setTyped} />
          <SegmentedControl
            aria-label={pageWords.filter}
            data={filters}
            value={kind}
            onChange={(value) => setKind(filters.find((one) => one.value === value)?.value ?? 'all')}
          />
        </Group>
        <UploadNotes uploads={uploads} />
      </div>
      <div ref={files}>
        <FileList
          kind={kind === 'all' ? undefined : kind}
          query={query}
          addFiles={addFiles({ variant: 'default' })}
          onOpen={open}
          onDelete={setDeleting}
          onShowAll={() => {
            setKind('all');
            setTyped('');
          }}
        />
      </div>
      {opened !== null && (
        <Details
          key={opened}
          url={opened}
          known={chosen?.url === opened ? chosen : undefined}
          onDelete={setDeleting}
          onClose={close}
        />
      )}
      {deleting && (
        <DeleteFile
          item={deleting}
          onClose={() => setDeleting(null)}
          onDeleted={() => {
            setDeleting(null);
            close();
            setDeleted((before) => before + 1);
          }}
        />
      )}
      {held && <div className={styles.dropHere}>{pageWords.drop}</div>}
    </Page>
  );
}
