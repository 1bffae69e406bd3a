/** Fields that have no bearing on cost, or less than the formulas resolve: they are not reported as ignored. */
const names: ReadonlySet<string> = new Set(
  [
    'model_type architectures auto_map custom_pipelines license dropout id2label label2id task_specific_params is_decoder is_encoder_decoder',
    'use_cache cache_implementation return_dict output_hidden_states output_attentions output_router_logits prefix',
    'hidden_act hidden_activation activation_function swiglu_limit norm_type mlp_type initializer_range init_std',
    'partial_rotary_factor rotary_pct rotary_dim rotary_emb_base alibi logit_scale original_max_position_embeddings',
    'initial_context_length n_ctx seq_length sliding_window_size query_pre_attn_scalar clip_qkv swiglu_limit',
    'attention_bias mlp_bias use_bias bias qkv_bias lm_head_bias use_qk_norm qk_layernorm do_layer_norm_before',
    'attn_scale floor_scale attn_temperature_tuning scale_attn_weights layerdrop pretraining_tp ep_size gelu',
    'norm_topk_prob routed_scaling_factor scoring_func topk_method seq_aux experts_per_token use_routing_bias qk_norm_type',
    'qk_head_dim index_share_for_mtp_iteration indexer_rope_interleave mlp_layer_types moe_router_dtype',
    'post_norm qk_norm use_mtp attn_type_list moe_capacity moe_use_aux_free moe_gate use_mixed_mlp_moe',
    'head_dim moe_layers no_rope_layers attention_softmax_in_fp32 masked_softmax_fusion bias_dropout_fusion',
    'apply_residual_connection_post_layernorm slow_but_exact offset_alibi skip_bias_add skip_bias_add_qkv rotary tokenizer_class n_special predict_special_tokens dtype torch_dtype',
    'mtp_use_dedicated_embeddings output_gate_type mla_use_nope moe_renormalize num_expert_group',
    'use_grouped_topk moe_router_activation_func',
    'expand chunk_size mamba_chunk_size mamba_conv_bias mamba_expand position_embedding_type mamba_hidden_act mamba_proj_bias use_conv_bias use_mamba_kernels time_step_min time_step_max time_step_floor time_step_limit',
    'time_step_rank mlp_hidden_act residual_in_fp32 rescale_prenorm_residual num_logits_to_keep moe_shared_expert_overlap',
    'gradient_checkpointing multi_query new_decoder_architecture max_window_layers mm_tokens_per_image ignore_index',
    'max_length min_length do_sample temperature top_k top_p typical_p num_beams num_beam_groups bad_words_ids',
    'chunk_size_feed_forward num_return_sequences no_repeat_ngram_size encoder_no_repeat_ngram_size',
  ].flatMap((line) => line.split(' ')),
)

const endings =
  /(_token_ids?|_token_index|_pdrop|_dropout|_eps|_epsilon|_coef|_alpha|_freq|_penalty|_placeholder|softcapping)$/
const beginnings = /^(_|rope_|summary_|router_|transformers_|for_)/
/** How images and sound enter the model; configs of the encoders themselves do not match. */
const media = /(vision|image|video|audio)(?!_config$)/

export function immaterial(name: string): boolean {
  return names.has(name) || endings.test(name) || beginnings.test(name) || media.test(name)
}
