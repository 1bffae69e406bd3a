/** The commit of sgl-project/sglang that names were checked against (python/sglang/srt/server_args.py, 2026). */
export const sglangVersion = '001067f'
