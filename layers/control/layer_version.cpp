// The version of this layer, as text in its file: `reel capture` reads it there, since it must not
// load a layer that may be of another version.
namespace reel::layer {

extern const char version_mark[];
__attribute__((used)) const char version_mark[] = "reel layer of version " REEL_VERSION;

}  // namespace reel::layer
