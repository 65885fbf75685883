import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Result } from '../../../../src-main/contract/contract.ts';
import type { PostKind } from '../../../../src-main/contract/posts.ts';
import { useClient } from '../../../client/queries.ts';
import { faultyField, type FolderSettings, type TypedField } from './folder-rules.ts';

/** How long the owner has to pause before the preview follows, in ms. */
const pauseMs = 300;

type PostFile = Result<'siteFolder.preview'>;

/** A post of one kind, as it would be written with settings that aren't saved yet. */
export interface ShownPreview {
  readonly kind: PostKind;
  readonly onKind: (kind: PostKind) => void;
  /** The newest answer; after an error, the one before it. Null until there is one. */
  readonly post: PostFile | null;
  /** Why the settings can't be used. */
  readonly error: Error | null;
  /** The field that the error is about, if that is clear. */
  readonly faulty: TypedField | undefined;
}

/** Asks the service for a preview whenever the settings change. */
export function useFolderPreview(settings: FolderSettings): ShownPreview {
  const client = useClient();
  const [kind, onKind] = useState<PostKind>('note');
  const [settled] = useDebouncedValue(settings, pauseMs);
  const params = { kind, settings: settled };
  const { data, error } = useQuery({
    queryKey: ['siteFolder.preview', params],
    queryFn: async () => ({ post: await client.call('siteFolder.preview', params), settings: settled }),
    gcTime: 0,
  });
  const [good, setGood] = useState<{ post: PostFile; settings: FolderSettings } | null>(null);
  if (data !== undefined && data !== good) setGood(data);
  return {
    kind,
    onKind,
    error,
    post: good?.post ?? null,
    faulty: error ? faultyField(settled, good?.settings ?? null) : undefined,
  };
}
