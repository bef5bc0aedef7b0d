// Weights from files: a model that was written and read again generates what it generated before.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <random>
#include <set>

#include "examples/forward_pass/decoder.hpp"
#include "examples/forward_pass/run.hpp"
#include "examples/forward_pass/tokens.hpp"
#include "examples/forward_pass/weights/llama_weights.hpp"
#include "weight_files.hpp"

namespace forward_pass {
namespace {

using test::Stored;
using test::Tensors;
using testing::HasSubstr;

constexpr Sizes small{.layers = 2,
                      .dim = 64,
                      .heads = 4,
                      .kv_heads = 2,
                      .hidden = 96,
                      .vocabulary = 300,
                      .tokens = 12};

// Random weights that halves and 8 bits hold exactly, as a file of this kind names them.
Tensors tensors_of(bool gguf, bool head = true) {
  std::mt19937 random(5);
  const auto make = [&](std::vector<std::uint64_t> shape, bool around_one) {
    std::uint64_t count = 1;
    for (const std::uint64_t size : shape) count *= size;
    std::vector<float> values(count);
    for (float& value : values)
      value = static_cast<float>(static_cast<int>(random() % 63) - 31) / 128 + (around_one ? 1 : 0);
    return test::Given{std::move(shape), std::move(values)};
  };
  Tensors tensors;
  // The order of making is that of names in GGUF, so that both kinds hold the same numbers.
  const auto add = [&](const std::string& in_gguf, const std::string& otherwise,
                       std::vector<std::uint64_t> shape) {
    const bool norm = shape.size() == 1;
    tensors[(gguf ? in_gguf : otherwise) + ".weight"] = make(std::move(shape), norm);
  };
  add("token_embd", "model.embed_tokens", {small.vocabulary, small.dim});
  add("output_norm", "model.norm", {small.dim});
  if (head) add("output", "lm_head", {small.vocabulary, small.dim});
  for (std::uint32_t i = 0; i < small.layers; ++i) {
    const std::string a = "blk." + std::to_string(i) + ".",
                      b = "model.layers." + std::to_string(i) + ".";
    add(a + "attn_norm", b + "input_layernorm", {small.dim});
    add(a + "attn_q", b + "self_attn.q_proj", {small.dim, small.dim});
    add(a + "attn_k", b + "self_attn.k_proj", {small.kv_dim(), small.dim});
    add(a + "attn_v", b + "self_attn.v_proj", {small.kv_dim(), small.dim});
    add(a + "attn_output", b + "self_attn.o_proj", {small.dim, small.dim});
    add(a + "ffn_norm", b + "post_attention_layernorm", {small.dim});
    add(a + "ffn_gate", b + "mlp.gate_proj", {small.hidden, small.dim});
    add(a + "ffn_up", b + "mlp.up_proj", {small.hidden, small.dim});
    add(a + "ffn_down", b + "mlp.down_proj", {small.dim, small.hidden});
  }
  return tensors;
}

// As Hugging Face orders the rows of queries and keys: all first members of a head's pairs, then
// the second ones.
void split_pairs(Tensors& tensors) {
  for (auto& [name, given] : tensors) {
    if (name.find("q_proj") == std::string::npos && name.find("k_proj") == std::string::npos)
      continue;
    const std::uint32_t head = small.head_size();
    const auto before = given.values;
    for (std::uint64_t row = 0; row < given.shape[0]; ++row) {
      const std::uint64_t i = row % head, to = row - i + i / 2 + i % 2 * (head / 2);
      std::copy_n(before.begin() + static_cast<std::ptrdiff_t>(row * small.dim), small.dim,
                  given.values.begin() + static_cast<std::ptrdiff_t>(to * small.dim));
    }
  }
}

LlamaWeights weights_of(std::vector<std::byte> bytes) {
  return LlamaWeights(TensorFile(FileBytes("test", std::move(bytes))),
                      {.heads = 4, .tokens = small.tokens});
}

Run run_of(const LlamaWeights& weights, const std::vector<std::uint32_t>& prompt) {
  const reel::Device device = reel::open_device("host");
  Sizes sizes = weights.sizes();
  sizes.prompt = static_cast<std::uint32_t>(prompt.size());
  const Model model(device, sizes, &weights);
  const reel::ops::Ops ops(device);
  return run(device, Decoder(device, model, ops), ops, Mode::direct, prompt);
}

std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const reel::Error& error) {
    return error.what();
  }
  return {};
}

TEST(Weights, AFileOfEachKindAndTypeGeneratesTheSameTokens) {
  const auto expected = run_of(weights_of(test::gguf(tensors_of(true), Stored::f32, {})), {7});
  EXPECT_GT(std::set(expected.tokens.begin(), expected.tokens.end()).size(), 3u);
  for (const Stored as : {Stored::f32, Stored::f16, Stored::bf16}) {
    Tensors split = tensors_of(false);
    split_pairs(split);
    const auto found = run_of(weights_of(test::safetensors(split, as)), {7});
    EXPECT_EQ(found.tokens, expected.tokens) << static_cast<int>(as);
    EXPECT_EQ(found.logits, expected.logits) << static_cast<int>(as);
  }
  for (const Stored as : {Stored::f16, Stored::bf16, Stored::q8_0}) {
    const auto found = run_of(weights_of(test::gguf(tensors_of(true), as, {})), {7});
    EXPECT_EQ(found.logits, expected.logits) << static_cast<int>(as);
  }
}

TEST(Weights, APromptThatGoesThroughTogetherGivesWhatItsTokensGiveOneByOne) {
  const LlamaWeights weights = weights_of(test::gguf(tensors_of(true), Stored::f32, {}));
  // What is generated behind one token, given as a prompt, goes on in the same way.
  const auto alone = run_of(weights, {9});
  for (const std::size_t count : {2u, 6u, 12u}) {
    const auto found = run_of(
        weights, {alone.tokens.begin(), alone.tokens.begin() + static_cast<std::ptrdiff_t>(count)});
    ASSERT_GE(found.tokens.size(), alone.tokens.size());
    EXPECT_TRUE(std::equal(alone.tokens.begin(), alone.tokens.end(), found.tokens.begin()))
        << count;
  }
}

TEST(Weights, AModelWithoutAHeadUsesItsEmbedding) {
  const auto found = run_of(weights_of(test::gguf(tensors_of(true, false), Stored::f32, {})), {7});
  EXPECT_EQ(found.logits.size(), small.vocabulary);
}

TEST(Weights, SizesComeFromTheFile) {
  const Sizes sizes =
      weights_of(test::gguf(tensors_of(true), Stored::f32, {.epsilon = 0.25f})).sizes();
  EXPECT_EQ(sizes.layers, small.layers);
  EXPECT_EQ(sizes.dim, small.dim);
  EXPECT_EQ(sizes.heads, small.heads);
  EXPECT_EQ(sizes.kv_heads, small.kv_heads);
  EXPECT_EQ(sizes.hidden, small.hidden);
  EXPECT_EQ(sizes.vocabulary, small.vocabulary);
  EXPECT_EQ(sizes.epsilon, 0.25f);
}

TEST(Weights, ConfigJsonBesideAFileSaysHowManyHeadsThereAre) {
  const auto folder = std::filesystem::path(testing::TempDir()) / "reel_weights_config";
  std::filesystem::create_directories(folder);
  const auto bytes = test::safetensors(tensors_of(false), Stored::f32);
  std::ofstream(folder / "model.safetensors", std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
  const auto configured = [&](const char* config) {
    std::ofstream(folder / "config.json") << config;
    return LlamaWeights::open((folder / "model.safetensors").string(), {.heads = 4}).sizes();
  };
  const Sizes sizes = configured(
      R"({"model_type": "llama", "num_attention_heads": 2, "rope_theta": 5e5, "rms_norm_eps": 1e-6})");
  EXPECT_EQ(sizes.heads, 2u);
  EXPECT_EQ(sizes.kv_heads, 1u);
  EXPECT_EQ(sizes.rope_base, 5e5);
  EXPECT_EQ(sizes.epsilon, 1e-6f);
  EXPECT_THAT(error_of([&] { configured(R"({"model_type": "mamba"})"); }),
              HasSubstr("model_type \"mamba\""));
  EXPECT_THAT(error_of([&] { configured(R"({"rope_scaling": {"type": "linear"}})"); }),
              HasSubstr("rotary positions"));
  EXPECT_THAT(error_of([&] { configured("{"); }), HasSubstr("not a JSON object"));
  std::filesystem::remove_all(folder);
}

TEST(Weights, WhatIsWrongWithAFileIsNamed) {
  const auto refused = [](std::vector<std::byte> bytes) {
    return error_of([&] { run_of(weights_of(std::move(bytes)), {1}); });
  };
  EXPECT_THAT(error_of([] { LlamaWeights::open("/nowhere/x.gguf", {}); }),
              HasSubstr("can't be opened: No such file"));
  EXPECT_THAT(error_of([] { LlamaWeights::open("/", {}); }), HasSubstr("not a file"));
  EXPECT_THAT(refused({}), HasSubstr("neither safetensors nor GGUF"));
  EXPECT_THAT(refused(test::gguf(tensors_of(true), Stored::f32, {.architecture = "gpt2"})),
              HasSubstr("'gpt2'"));
  EXPECT_THAT(refused(test::gguf(tensors_of(true), Stored::f32, {.heads = 7})),
              HasSubstr("7 heads don't divide"));
  Tensors missing = tensors_of(true);
  missing.erase("blk.1.ffn_up.weight");
  EXPECT_THAT(refused(test::gguf(missing, Stored::f32, {})),
              HasSubstr("no tensor 'blk.1.ffn_up.weight'"));
  Tensors misshapen = tensors_of(true);
  misshapen["blk.1.attn_v.weight"].shape = {small.dim, small.kv_dim()};
  EXPECT_THAT(refused(test::gguf(misshapen, Stored::f32, {})),
              HasSubstr("'blk.1.attn_v.weight' is 64 x 32"));
  Tensors biased = tensors_of(false);
  biased["model.layers.0.self_attn.q_proj.bias"] = {{small.dim}, std::vector<float>(small.dim)};
  EXPECT_THAT(refused(test::safetensors(biased, Stored::f32)), HasSubstr("biases"));
}

// Whatever happens to a file, it is read, or refused by a sentence of ours.
TEST(Weights, CutAndDamagedFilesAreRefusedOrRead) {
  std::mt19937 random(1);
  for (const bool gguf : {true, false}) {
    const auto whole = gguf
                           ? test::gguf(tensors_of(true), Stored::q8_0, {.tokens = {"<0x00>", "a"}})
                           : test::safetensors(tensors_of(false), Stored::f16);
    const auto index_bytes = std::min<std::size_t>(whole.size(), 2600);
    int refused = 0;
    const auto attempt = [&](std::vector<std::byte> bytes) {
      try {
        const LlamaWeights weights = weights_of(std::move(bytes));
        weights.matrix("embedding", weights.sizes().vocabulary, weights.sizes().dim);
      } catch (const reel::Error& error) {
        EXPECT_THAT(error.what(), HasSubstr("Weights 'test': "));
        ++refused;
      }
    };
    for (std::size_t length = 0; length < index_bytes; length += 7)
      attempt({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length)});
    for (int i = 0; i < 3000; ++i) {
      auto damaged = whole;
      for (int flips = 0; flips < 1 + i % 3; ++flips)
        damaged[random() % index_bytes] =
            static_cast<std::byte>(random() % 4 == 0 ? 0xff : random());
      attempt(std::move(damaged));
    }
    EXPECT_GT(refused, 500);
  }
}

TEST(Tokens, AByteIsATokenAndComesBack) {
  const Tokens tokens({}, 300);
  const auto found = tokens.of("aß\n");
  EXPECT_EQ(found, (std::vector<std::uint32_t>{'a', 0xc3, 0x9f, '\n'}));
  EXPECT_EQ(tokens.text(found), "aß\n");
  EXPECT_EQ(tokens.text(std::vector<std::uint32_t>{299, 7}), "‹299›\\x07");
}

TEST(Tokens, AVocabularySaysWhichTokenAByteIs) {
  std::vector<std::string> pieces{"<unk>", "\xe2\x96\x81hi"};
  for (int byte = 0; byte < 256; ++byte) {
    char piece[7];
    std::snprintf(piece, sizeof(piece), "<0x%02X>", byte);
    pieces.emplace_back(piece);
  }
  const Tokens tokens(pieces, 258);
  EXPECT_EQ(tokens.of("A"), (std::vector<std::uint32_t>{'A' + 2}));
  EXPECT_EQ(tokens.text(std::vector<std::uint32_t>{1, 'A' + 2}), " hiA");
  pieces.pop_back();
  EXPECT_THAT(error_of([&] { Tokens(pieces, 258); }), HasSubstr("no token for the byte 0xff"));
  EXPECT_THAT(error_of([&] { Tokens({}, 200); }),
              HasSubstr("no token for the byte 0xc8 among its 200"));
}

}  // namespace
}  // namespace forward_pass
